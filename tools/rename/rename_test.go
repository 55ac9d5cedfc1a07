package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A copy of this repository, renamed, builds under its new name, and the old
// one is gone from it.
func TestRenameACopy(t *testing.T) {
	dir := t.TempDir()
	files, err := tracked("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			continue
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "git", "init", "-q")
	run(t, dir, "git", "add", "-A")
	n, err := rename(dir, "example.org/somebody/condenser")
	if err != nil || n < 50 {
		t.Fatalf("%d files changed: %v", n, err)
	}
	run(t, dir, "go", "vet", "./...")
	run(t, filepath.Join(dir, "tools"), "go", "vet", "./...")
	if out := run(t, dir, "go", "list", "-m"); strings.TrimSpace(out) != "example.org/somebody/condenser" {
		t.Fatalf("the module is %s", out)
	}
	cmd := exec.Command("git", "grep", "-l", "github.com/condenser"+"-go/condenser")
	cmd.Dir = dir
	if out, _ := cmd.Output(); len(out) > 0 {
		t.Fatalf("the old path still stands in\n%s", out)
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestRenameRefuses(t *testing.T) {
	for _, bad := range []string{"", "x", "a b/c", "/a/b", "a/../b c", "../x"} {
		if _, err := rename("../..", bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, err := rename(t.TempDir(), "example.com/a/b"); err == nil {
		t.Error("a folder without go.mod was taken")
	}
}
