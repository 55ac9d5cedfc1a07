// Command conformance answers language-neutral test vectors with the library's
// exported functions.
//
//	conformance < VECTORS.jsonl            one answer a line, in order
//	conformance -check FILE.jsonl...       compares with what the files want
//
// A vector is a line {"id","system","fn","args",…}; an answer is {"id","got"}
// or {"id","error"}. With -check the last line reads "N passed, M failed", and
// the exit status is 1 if any failed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

type vector struct {
	ID     string                     `json:"id"`
	System string                     `json:"system"`
	Fn     string                     `json:"fn"`
	Args   json.RawMessage            `json:"args"`
	Want   json.RawMessage            `json:"want"`
	Must   map[string]json.RawMessage `json:"must"`
}

func main() {
	check := flag.Bool("check", false, "compare with what the named files want")
	flag.Parse()
	failed, err := run(*check, flag.Args(), os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(check bool, files []string, in io.Reader, out io.Writer) (failed int, err error) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	if !check {
		return 0, eachVector(in, func(v vector, err error) error { return writeAnswer(w, v, err) })
	}
	if len(files) == 0 {
		return 0, errors.New("-check wants the names of files")
	}
	passed := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return failed, err
		}
		err = eachVector(bytes.NewReader(data), func(v vector, err error) error {
			if err != nil {
				return err
			}
			if broken := judge(v); len(broken) > 0 {
				failed++
				fmt.Fprintln(w, v.ID, v.Fn, broken)
			} else {
				passed++
			}
			return nil
		})
		if err != nil {
			return failed, fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", passed, failed)
	return failed, nil
}

// eachVector calls each for every line of r, with $repeat and $concat resolved,
// or with what is wrong with the line.
func eachVector(r io.Reader, each func(vector, error) error) error {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			v, e := readVector(line)
			if e != nil {
				e = fmt.Errorf("line %d: %w", n, e)
			}
			if e := each(v, e); e != nil {
				return e
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func readVector(line []byte) (v vector, err error) {
	if err = json.Unmarshal(line, &v); err != nil {
		return v, err
	}
	if v.Args, err = expand(v.Args); err != nil {
		return v, err
	}
	v.Want, err = expand(v.Want)
	return v, err
}

// writeAnswer answers v, or says what is wrong with it: one line at any rate.
func writeAnswer(w io.Writer, v vector, err error) error {
	out := map[string]any{"id": v.ID}
	var got any
	if err == nil {
		got, err = answer(v)
	}
	if err != nil {
		out["error"] = err.Error()
	} else {
		out["got"] = got
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
