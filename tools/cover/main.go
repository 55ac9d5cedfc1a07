// Command cover runs the tests of the rooms with coverage, prints a table, and
// fails if a room, or one of the functions everything rests on, is below its
// mark.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// least is the statement coverage a room must have, in percent.
const least = 90

var rooms = []string{".", "message", "transcript", "budget", "summarize", "microcompact", "rehydrate", "trim"}

// whole are the functions that must be covered to the last statement: fold,
// commit, cuts and acceptance.
var whole = regexp.MustCompile(`transcript/(fold|cuts)\.go|transcript/log\.go:\d+:\s+(Commit|commit|allow|Merge)\s|transcript/rule\.go:\d+:\s+Cuts\s|summarize/accept\.go`)

func main() {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	dir, err := os.MkdirTemp("", "cover")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var missed []string
	for _, room := range rooms {
		profile := filepath.Join(dir, "profile")
		if out, err := goCommand(root, "test", "-short", "-coverprofile", profile, "./"+room); err != nil {
			return fmt.Errorf("%s: %w\n%s", room, err, out)
		}
		out, err := goCommand(root, "tool", "cover", "-func", profile)
		if err != nil {
			return err
		}
		total, problems := judge(out)
		fmt.Printf("%6.1f %%  %s\n", total, room)
		if total < least {
			missed = append(missed, fmt.Sprintf("%s: %.1f %%, and at least %d %% is asked", room, total, least))
		}
		missed = append(missed, problems...)
	}
	if len(missed) > 0 {
		return fmt.Errorf("missed:\n  %s", strings.Join(missed, "\n  "))
	}
	fmt.Printf("every room has at least %d %%; fold, commit, cuts and acceptance have all of it\n", least)
	return nil
}

func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// judge reads what go tool cover -func prints.
func judge(out string) (total float64, problems []string) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		percent, _ := strconv.ParseFloat(strings.TrimSuffix(fields[len(fields)-1], "%"), 64)
		if fields[0] == "total:" {
			total = percent
		} else if whole.MatchString(line) && percent < 100 {
			problems = append(problems, strings.Join(fields, " "))
		}
	}
	return total, problems
}
