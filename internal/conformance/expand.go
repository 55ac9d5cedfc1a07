package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// expand resolves {"$repeat":[s,n]} and {"$concat":[…]} in raw and leaves every
// other byte as it is, so that arguments keep their order and their numbers.
func expand(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if !bytes.Contains(raw, []byte(`"$repeat"`)) && !bytes.Contains(raw, []byte(`"$concat"`)) {
		return raw, nil
	}
	if s, ok, err := generated(raw); ok || err != nil {
		return s, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	out := []byte(fmt.Sprint(open))
	for first := true; dec.More(); first = false {
		if !first {
			out = append(out, ',')
		}
		if open == json.Delim('{') {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := json.Marshal(key)
			out = append(append(out, name...), ':')
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if value, err = expand(value); err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	if open == json.Delim('{') {
		return append(out, '}'), nil
	}
	return append(out, ']'), nil
}

// generated returns the string that raw stands for, if it is one of the two forms.
func generated(raw json.RawMessage) (json.RawMessage, bool, error) {
	var form struct {
		Repeat []json.RawMessage `json:"$repeat"`
		Concat []json.RawMessage `json:"$concat"`
	}
	if raw[0] != '{' || json.Unmarshal(raw, &form) != nil {
		return nil, false, nil
	}
	var s string
	switch {
	case len(form.Repeat) == 2:
		var n int
		if err := json.Unmarshal(form.Repeat[0], &s); err != nil {
			return nil, false, err
		}
		if err := json.Unmarshal(form.Repeat[1], &n); err != nil || n < 0 {
			return nil, false, fmt.Errorf("$repeat %s times", form.Repeat[1])
		}
		s = strings.Repeat(s, n)
	case form.Concat != nil:
		for _, part := range form.Concat {
			part, err := expand(part)
			if err != nil {
				return nil, false, err
			}
			var t string
			if err := json.Unmarshal(part, &t); err != nil {
				return nil, false, err
			}
			s += t
		}
	default:
		return nil, false, nil
	}
	out, err := json.Marshal(s)
	return out, true, err
}
