package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// machine is what sessions are recorded on: the Go tree, this repository at a
// revision, and a scratch folder that close removes.
type machine struct {
	scratch string
	goroot  string
	repo    string
	rev     string
	env     []string
	scrub   scrubber
}

func newMachine(rev string) (*machine, error) {
	m := &machine{rev: rev}
	var err error
	if m.goroot, err = output("go", "env", "GOROOT"); err != nil {
		return nil, err
	}
	if m.repo, err = output("git", "rev-parse", "--show-toplevel"); err != nil {
		return nil, err
	}
	if m.scratch, err = os.MkdirTemp("", "record"); err != nil {
		return nil, err
	}
	for _, dir := range []string{"home", "build"} {
		if err := os.Mkdir(filepath.Join(m.scratch, dir), 0o755); err != nil {
			return nil, err
		}
	}
	m.scrub.add(m.scratch, "$SCRATCH")
	m.scrub.add(m.goroot, "$GOROOT")
	m.scrub.add(m.repo, "$REPO")
	m.env = []string{
		"PATH=" + filepath.Join(m.goroot, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(m.scratch, "home"),
		"TMPDIR=" + filepath.Join(m.scratch, "build"),
		"GOCACHE=" + filepath.Join(m.scratch, "cache"),
		"GOPATH=" + filepath.Join(m.scratch, "gopath"),
		"GOENV=off", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOTELEMETRY=off", "CGO_ENABLED=0",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_PAGER=cat", "GIT_EDITOR=true",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_AUTHOR_DATE=2026-01-12T09:00:00Z",
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com", "GIT_COMMITTER_DATE=2026-01-12T09:00:00Z",
		"TZ=UTC", "LC_ALL=C", "TERM=dumb",
	}
	return m, nil
}

// close removes the scratch folder.
func (m *machine) close() error { return os.RemoveAll(m.scratch) }

// copyRepo puts files of this repository, as of the revision, into dir. It
// takes what is below the given folders and want accepts.
func (m *machine) copyRepo(dir string, want func(path string) bool, folders ...string) error {
	args := append([]string{"-C", m.repo, "archive", "--format=tar", m.rev, "--"}, folders...)
	archive, err := exec.Command("git", args...).Output()
	if err != nil {
		return fmt.Errorf("git archive %s: %w", m.rev, err)
	}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !want(h.Name) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, h.Name), data); err != nil {
			return err
		}
	}
}

// writeFile writes a file and makes its folders.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// output returns what a command prints, without the line break at the end.
func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out), "\r\n"), nil
}
