// Command mutants switches the library's guards off, one by one, and runs the
// tests: each must turn one red. It prints the list with the test that did, and
// fails if a guard can be switched off unnoticed. The sources are not touched:
// each mutant is an overlay of the build.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	only := flag.String("only", "", "only the guards whose name holds this")
	flag.Parse()
	dir, err := filepath.Abs("..")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if err := green(dir); err != nil {
		fmt.Fprintln(os.Stderr, "mutants: the tests must pass first:", err)
		os.Exit(1)
	}
	tried, survived := 0, 0
	for _, m := range mutants {
		if !strings.Contains(m.guard, *only) {
			continue
		}
		tried++
		tests, err := m.try(dir)
		if err != nil {
			survived++
			fmt.Printf("ALIVE  %s: %v\n", m.guard, err)
			continue
		}
		fmt.Printf("killed %-66s by %s\n", m.guard, tests)
	}
	if survived > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d of %d guards can be switched off unnoticed\n", survived, tried)
		os.Exit(1)
	}
	fmt.Printf("%d guards, each with a test that fails without it\n", tried)
}

// green runs the tests with every guard on.
func green(dir string) error {
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.packages] {
			continue
		}
		seen[m.packages] = true
		if out, err := goTest(dir, m.packages); err != nil {
			return fmt.Errorf("%s: %w\n%.2000s", m.packages, err, out)
		}
	}
	return nil
}

func goTest(dir, packages string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-short", "-count=1", "-vet=off", "-timeout=120s"}, flags...)
	cmd := exec.Command("go", append(args, packages, "-rapid.nofailfile")...) // the folder stays as it is
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CONDENSER_CHECKS=2500", "GOFLAGS=")
	return cmd.CombinedOutput()
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// try runs the tests with the guard off and returns the names of those that fail.
func (m mutant) try(dir string) (tests string, err error) {
	source := filepath.Join(dir, m.file)
	data, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(data), m.old); n != 1 {
		return "", fmt.Errorf("%s holds the guard's text %d times, and must once", m.file, n)
	}
	work, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	mutated := filepath.Join(work, filepath.Base(m.file))
	if err := os.WriteFile(mutated, []byte(strings.Replace(string(data), m.old, m.new, 1)), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: mutated}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return "", err
	}
	out, err := goTest(dir, m.packages, "-overlay", overlayFile)
	if err == nil {
		return "", fmt.Errorf("all tests of %s pass without it", m.packages)
	}
	var names []string
	for _, f := range failed.FindAllSubmatch(out, -1) {
		if name := string(f[1]); !strings.Contains(name, "/") && len(names) < 3 {
			names = append(names, name)
		}
	}
	if names == nil && strings.Contains(string(out), "panic: ") && !strings.Contains(string(out), "build failed") {
		names = append(names, "a panic in "+m.packages)
	}
	if names == nil {
		return "", fmt.Errorf("no test failed, but %v:\n%.600s", err, out)
	}
	return strings.Join(names, ", "), nil
}
