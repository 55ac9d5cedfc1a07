package condenser_test

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// depsPolicy says which package may import which. "a, b < c" lets c import a
// and b and whatever they may import; what is not allowed is forbidden. Rooms
// that do not exist yet are listed for when they do.
const depsPolicy = `
NONE < message, overflow, internal/checks
message < message/wire/anthropic, message/wire/openai, message/wire/responses, message/wire/gemini, transcript, budget
budget < budget/tiktoken
transcript, budget < microcompact, trim, rehydrate
transcript, budget, overflow < summarize
microcompact, trim, summarize, rehydrate, overflow < ROOT
message, transcript < store
store < store/storetest
ROOT < preset, session, condensertest
ROOT, preset, condensertest, store, session, budget/tiktoken < examples/*, internal/conformance
`

// depsForbidden adds what no package but the named ones may import directly:
// the host does I/O (io/fs is fine), and nothing here reads the network. Exempt
// are programs, what keeps logs on disks, what reads a vocabulary, and what only
// tests use.
var depsForbidden = struct {
	imports []string
	exempt  []string
}{
	imports: []string{"net", "net/http", "os", "os/exec", "log"},
	exempt:  []string{"examples/", "store", "budget/tiktoken", "internal/conformance", "internal/checks"},
}

// Modules the root module may require; the second list is for tests only.
var (
	modules     = []string{"github.com/pkoukk/tiktoken-go", "golang.org/x/sync"}
	testModules = []string{"github.com/stretchr/testify", "pgregory.net/rapid", "go.uber.org/goleak"}
)

const modulePath = "github.com/condenser-go/condenser"

// pkg is what go list says of one package of the module.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Standard   bool
}

func (p pkg) room() string {
	if p.ImportPath == modulePath {
		return "ROOT"
	}
	return strings.TrimPrefix(p.ImportPath, modulePath+"/")
}

func packages(t *testing.T) []pkg {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Standard", "./...").Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		require.NoError(t, dec.Decode(&p))
		all = append(all, p)
	}
	require.Greater(t, len(all), 8)
	return all
}

// allowed reads depsPolicy: per room, the rooms it may import.
func allowed(t *testing.T) map[string][]string {
	may := map[string][]string{}
	for line := range strings.Lines(depsPolicy) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		from, to, ok := strings.Cut(line, "<")
		require.True(t, ok, line)
		for _, room := range strings.Split(to, ",") {
			room = strings.TrimSpace(room)
			for _, below := range strings.Split(from, ",") {
				below = strings.TrimSpace(below)
				may[room] = append(append(may[room], below), may[below]...)
			}
		}
	}
	return may
}

func TestImportPolicy(t *testing.T) {
	may := allowed(t)
	for _, p := range packages(t) {
		room := p.room()
		rule, known := may[room]
		if !known && strings.HasPrefix(room, "examples/") {
			rule, known = may["examples/*"], true
		}
		if !assert.True(t, known || slices.Contains(may["ROOT"], room), "package %s is in no line of the policy", room) {
			continue
		}
		for _, imp := range p.Imports {
			if other, ours := strings.CutPrefix(imp, modulePath); ours {
				other = strings.TrimPrefix(other, "/")
				if other == "" {
					other = "ROOT"
				}
				assert.Contains(t, rule, other, "%s imports %s", room, other)
				continue
			}
			if slices.Contains(depsForbidden.imports, imp) {
				exempt := slices.ContainsFunc(depsForbidden.exempt, func(e string) bool { return strings.HasPrefix(room, e) })
				assert.True(t, exempt, "%s imports %s", room, imp)
			}
			if strings.Contains(strings.Split(imp, "/")[0], ".") {
				ok := slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(imp, m) })
				assert.True(t, ok, "%s imports %s", room, imp)
			}
		}
		if room == "budget" {
			assert.NotContains(t, p.Imports, modulePath+"/transcript", "counting knows nothing of edits")
		}
		if room == "condensertest" {
			for _, imp := range p.Imports {
				assert.NotContains(t, imp, "testify", "it would link net/http into every test that uses condensertest")
			}
		}
	}
}

func TestModulePolicy(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	require.NoError(t, err)
	var mod struct {
		Go      string
		Require []struct {
			Path, Version string
			Indirect      bool
		}
		Replace []any
	}
	require.NoError(t, json.Unmarshal(out, &mod))
	assert.Equal(t, "1.25.0", mod.Go)
	assert.Empty(t, mod.Replace)
	for _, r := range mod.Require {
		if r.Indirect {
			continue
		}
		assert.Contains(t, append(slices.Clone(modules), testModules...), r.Path)
		if r.Path == "golang.org/x/sync" {
			assert.Equal(t, "v0.22.0", r.Version, "later ones force Go 1.26 on importers")
		}
	}
}

// Below the root package nothing reads the clock, draws random numbers, starts
// goroutines, or assigns to a package variable.
func TestPurity(t *testing.T) {
	for _, p := range packages(t) {
		room := p.room()
		if room == "ROOT" || strings.HasPrefix(room, "examples/") || strings.HasPrefix(room, "internal/") || strings.HasPrefix(room, "store") {
			continue
		}
		for _, imp := range p.Imports {
			assert.False(t, strings.HasPrefix(imp, "math/rand") || imp == "crypto/rand", "%s imports %s", room, imp)
		}
		vars := map[string]bool{}
		var files []*ast.File
		set := token.NewFileSet()
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, 0)
			require.NoError(t, err)
			files = append(files, f)
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					for _, s := range g.Specs {
						for _, n := range s.(*ast.ValueSpec).Names {
							vars[n.Name] = n.Name != "_"
						}
					}
				}
				if f, ok := d.(*ast.FuncDecl); ok {
					assert.False(t, f.Recv == nil && f.Name.Name == "init", "%s has an init", room)
				}
			}
		}
		for _, f := range files {
			impurities(f, vars, func(pos token.Pos, what string) {
				if room == "condensertest" && what == "reads the clock" {
					return // a scripted delay waits
				}
				t.Errorf("%s: %s", set.Position(pos), what)
			})
		}
	}
}

// impurities finds go statements, reads of the clock, and whatever changes a
// package variable or lets it be changed: assignments to it or to a part of it,
// delete, clear and copy, and its address. vars are the package's variables; a
// local variable of the same name is none.
func impurities(f *ast.File, vars map[string]bool, found func(token.Pos, string)) {
	clock := ""
	for _, imp := range f.Imports {
		if imp.Path.Value == `"time"` {
			clock = "time"
			if imp.Name != nil {
				clock = imp.Name.Name
			}
		}
	}
	changed := func(e ast.Expr) {
		if x := rootOf(e); x != nil && vars[x.Name] && isPackageLevel(f, x) {
			found(x.Pos(), "changes package variable "+x.Name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found(n.Pos(), "starts a goroutine")
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if n.Tok != token.DEFINE {
					changed(l)
				}
			}
		case *ast.IncDecStmt:
			changed(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				changed(n.Key)
				changed(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed(n.X)
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, fn.Name) && len(n.Args) > 0 {
				changed(n.Args[0])
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && clock != "" && x.Name == clock && slices.Contains([]string{"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "AfterFunc", "Sleep"}, n.Sel.Name) {
				found(n.Pos(), "reads the clock")
			}
		}
		return true
	})
}

// rootOf returns the variable that an expression is a part of, nil if it is none.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return nil
		}
	}
}

// isPackageLevel reports whether x, by the parser's own resolution, is declared
// in no function: in this file at the top, or in another.
func isPackageLevel(f *ast.File, x *ast.Ident) bool {
	return x.Obj == nil || f.Scope.Lookup(x.Name) == x.Obj
}

// The policy tests themselves find what they are for.
func TestPurityFindsImpurities(t *testing.T) {
	src := `package x
import clock "time"
var count int
var table = map[string]int{}
var list [3]int
func f() {
	count++; table["a"] = 1; go f(); _ = clock.Now()
	delete(table, "a"); clear(table); p := &count; *p = 3
	for count = range 3 {}
	(count) = 4
	copy(list[:], nil)
	clock.Sleep(1)
}
var hook = func() { go f(); count = 5 }
func g() { count := 0; count++; _ = count; for count := range 3 { _ = count } }
func h(table map[string]int) { table["a"] = 1; delete(table, "a"); _ = list[0] }
func k() { { count := 1; count++ }; count++ }`
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", src, 0)
	require.NoError(t, err)
	var found []string
	impurities(f, map[string]bool{"count": true, "table": true, "list": true}, func(_ token.Pos, what string) { found = append(found, what) })
	assert.Len(t, found, 14, found)
	may := allowed(t)
	assert.NotContains(t, may["budget"], "transcript")
	assert.Contains(t, may["ROOT"], "message")
	assert.NotContains(t, may["message"], "ROOT")
}

// Every package has a package comment and a runnable example with output, and
// no file is so long that it hides something: 400 lines, tests aside.
func TestEveryRoomHasAManual(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			data, err := os.ReadFile(filepath.Join(p.Dir, name))
			require.NoError(t, err)
			assert.LessOrEqual(t, strings.Count(string(data), "\n"), 400, "%s/%s", p.room(), name)
		}
		b, err := build.ImportDir(p.Dir, build.ImportComment)
		require.NoError(t, err)
		assert.NotEmpty(t, b.Doc, "%s has no package comment", p.room())
		example := false
		require.NoError(t, filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && path != p.Dir {
				return fs.SkipDir
			}
			if !d.IsDir() && strings.HasSuffix(path, "_test.go") {
				f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
				require.NoError(t, err)
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
						for _, c := range f.Comments {
							example = example || fn.Pos() < c.Pos() && c.End() < fn.End() && strings.HasPrefix(c.Text(), "Output:")
						}
					}
				}
			}
			return nil
		}))
		if !strings.HasPrefix(p.room(), "examples/") && !strings.HasPrefix(p.room(), "internal/") {
			assert.True(t, example, "%s has no example with output", p.room())
		}
	}
}
