package main

import (
	"os"
	"path/filepath"
	"strings"
)

// workspace is the folder a session works in. Tools see its files by relative
// paths, and the Go tree's by paths that begin with src/.
type workspace struct {
	machine *machine
	dir     string
}

// newWorkspace makes the folder $SCRATCH/name.
func newWorkspace(m *machine, name string) (*workspace, error) {
	dir := filepath.Join(m.scratch, name)
	return &workspace{machine: m, dir: dir}, os.Mkdir(dir, 0o755)
}

// open returns where a file to be read lies.
func (w *workspace) open(path string) string {
	if strings.HasPrefix(path, "src/") {
		return filepath.Join(w.machine.goroot, filepath.FromSlash(path))
	}
	return filepath.Join(w.dir, filepath.FromSlash(path))
}

// local returns where a file to be written lies, "" if that is outside the
// workspace.
func (w *workspace) local(path string) string {
	if !filepath.IsLocal(path) || strings.HasPrefix(path, "src/") {
		return ""
	}
	return filepath.Join(w.dir, filepath.FromSlash(path))
}

// problem words an error for the transcript, without the folders of the machine.
func (w *workspace) problem(tool, path string, err error) answer {
	if os.IsNotExist(err) {
		return refuse("%s: %s: no such file or directory", tool, path)
	}
	return refuse("%s: %s", tool, w.machine.scrub.clean(err.Error()))
}
