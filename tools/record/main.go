package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// maxBytes is how large a recorded session may be.
const maxBytes = 450_000

// sessions are all that can be recorded, in the order of the README.
var sessions = []session{breakdownSession, parallelSession, shellSession, wideSession, kindsSession, bisectSession}

func main() {
	out := flag.String("out", "", "the folder to write NAME.jsonl to")
	only := flag.String("only", "", "record this session only")
	rev := flag.String("rev", "HEAD", "the revision of this repository that sessions read")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *only, *rev); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(out, only, rev string) error {
	m, err := newMachine(rev)
	if err != nil {
		return err
	}
	defer m.close()
	found := false
	for _, s := range sessions {
		if only != "" && s.name != only {
			continue
		}
		found = true
		msgs, err := record(m, s)
		if err != nil {
			return fmt.Errorf("session %s: %w", s.name, err)
		}
		n, err := save(filepath.Join(out, s.name+".jsonl"), msgs)
		if err != nil {
			return fmt.Errorf("session %s: %w", s.name, err)
		}
		fmt.Printf("%-10s %4d messages %7d tokens %7d bytes\n", s.name, len(msgs), budget.EstimateTokens(msgs), n)
	}
	if !found {
		return fmt.Errorf("there is no session %q", only)
	}
	return nil
}

// save writes msgs in the stored form, unless they break a promise of the
// README: valid to send, small, and without a path of the machine.
func save(name string, msgs []message.Message) (int, error) {
	if found := message.Validate(msgs, message.Portable); len(found) > 0 {
		return 0, fmt.Errorf("not valid: %v", found)
	}
	var b bytes.Buffer
	if err := message.Encode(&b, msgs); err != nil {
		return 0, err
	}
	if b.Len() > maxBytes {
		return 0, fmt.Errorf("%d bytes, and at most %d are allowed", b.Len(), maxBytes)
	}
	if p := pathIn(b.String()); p != "" {
		return 0, fmt.Errorf("a path of a machine is in it: %s", p)
	}
	return b.Len(), os.WriteFile(name, b.Bytes(), 0o644)
}
