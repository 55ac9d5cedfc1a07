// Command rename gives a checkout another module path: in go.mod, in every
// import, and wherever else the old path stands in a text file that git knows.
//
//	go run ./rename -dir .. -module example.com/mine/condenser
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	dir := flag.String("dir", "..", "the checkout")
	module := flag.String("module", "", "the new module path")
	flag.Parse()
	n, err := rename(*dir, *module)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d files changed\n", *module, n)
}

var validPath = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._~-]*(/[a-zA-Z0-9._~-]+)+$`)

// rename rewrites the files of the checkout at dir and returns how many it changed.
func rename(dir, module string) (int, error) {
	if !validPath.MatchString(module) {
		return 0, fmt.Errorf("%q is no module path; say MODULE=example.com/you/condenser", module)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(mod)
	if m == nil {
		return 0, fmt.Errorf("%s/go.mod names no module", dir)
	}
	files, err := tracked(dir)
	if err != nil {
		return 0, err
	}
	changed := 0
	for _, name := range files {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // listed and not there, or a link
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return changed, err
		}
		if bytes.IndexByte(data, 0) >= 0 || !bytes.Contains(data, m[1]) {
			continue
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(data, m[1], []byte(module)), info.Mode().Perm()); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// tracked lists the files of the checkout that git tracks or would.
func tracked(dir string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}
