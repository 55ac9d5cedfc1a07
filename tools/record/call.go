package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// call is one tool call of a script, and what the script relies on.
type call struct {
	tool    string
	input   any // marshals to the call's arguments
	run     func(w *workspace) answer
	failing bool
	wanted  []string
}

// answer is what a tool really printed.
type answer struct {
	text   string
	image  []byte // a PNG, instead of text
	failed bool
}

func refuse(format string, args ...any) answer {
	return answer{text: fmt.Sprintf(format, args...), failed: true}
}

// fails says that the call is to fail. A call that is not said to fail must not.
func (c *call) fails() *call {
	c.failing = true
	return c
}

// prints says that the answer is to hold each of texts.
func (c *call) prints(texts ...string) *call {
	c.wanted = append(c.wanted, texts...)
	return c
}

// check compares what was printed with what the script relies on.
func (c *call) check(a answer) error {
	if a.failed != c.failing {
		return fmt.Errorf("%s %s: failed is %t, and the script says %t:\n%s", c.tool, c.arguments(), a.failed, c.failing, a.text)
	}
	for _, s := range c.wanted {
		if !strings.Contains(a.text, s) {
			return fmt.Errorf("%s %s: %q is not in what was printed:\n%s", c.tool, c.arguments(), s, a.text)
		}
	}
	return nil
}

// arguments returns the call's input as compact JSON, with < > & as they are.
func (c *call) arguments() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.input); err != nil {
		panic(err) // all inputs are structs of strings and numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}
