package main

import "time"

// shellSession has long outputs, 20 to 40 kB each, of ordinary commands: go
// list, go tool nm, go doc -all, ls -R and go test -v.
var shellSession = session{
	name:  "shell",
	start: time.Date(2026, 1, 16, 7, 45, 0, 0, time.UTC),
	play: func(r *recorder) {
		r.seed("go.mod", "module example.com/probe\n\ngo 1.25.0\n")
		r.seed("cmd/probe/main.go", probeMain)
		r.seed("samples/page.html", "<!doctype html>\n<title>t</title>\n")
		r.seed("samples/notes.txt", "plain words, and nothing else\n")
		r.seed("samples/dot.gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00")
		r.seed("samples/page.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00")
		shellSize(r)
		shellReplace(r)
		shellPlain(r)
	},
}

func shellSize(r *recorder) {
	r.system(`You are a coding agent with one main tool, bash; read, write and edit are there for files. The working directory is a Go module. Commands that print more than 40,000 bytes are cut. Say what a command is for before you run it.`)
	r.user("probe prints the content type of files, nothing else, and its binary is over 5 MB. It goes onto a device with 8 MB of flash. Find out where the size comes from. Just find out for now.")
	r.says("Build it as we ship it, and look at the source.",
		bash("go build -o bin/probe ./cmd/probe && wc -c bin/probe && go build -ldflags='-s -w' -o bin/probe-stripped ./cmd/probe && wc -c bin/probe-stripped"),
		read("cmd/probe/main.go"))
	r.says("Twenty-odd lines of ours, so it is what they import. All packages in the binary, with what imports what:",
		bash(`go list -deps -f '{{.ImportPath}}: {{join .Imports " "}}' ./cmd/probe`).prints("net/http: "))
	r.says("`net/http` names some sixty packages, and TLS is among them. How much is that in bytes? The largest symbols of what we ship:",
		bash("go tool nm -size -sort size bin/probe-stripped | sed -n '1,400p'").prints("no symbols"))
	r.says("Of course: `-s -w` removes the symbol table. The unstripped one, then.",
		bash("go tool nm -size -sort size bin/probe | sed -n '1,420p'").prints("net/http"))
	r.says("The largest single symbols are tables and memory of the crypto packages and of the runtime. Grouped by package it is easier to judge:",
		bash(`go tool nm -size bin/probe | awk '$3 == "T" || $3 == "t" { p = $4; sub(/\.[^\/]*$/, "", p); n[p] += $2 } END { for (p in n) print n[p], p }' | sort -rn | sed -n '1,60p'`).prints("crypto/internal/fips140"),
		bash("go list -deps ./cmd/probe | wc -l; go list -deps ./cmd/probe | grep -c ^crypto; echo 'package main; func main() { println(1) }' > bin/empty.go && go build -o bin/empty bin/empty.go && wc -c bin/empty"))
	r.says("Where the size comes from: `net/http`, which is imported for one function, `DetectContentType`. There was a surprise: its own code is hardly there, because the linker drops what nobody calls, and crypto/tls is gone as well. What stays is what those packages set up when they are initialised: `crypto/internal/fips140` with its tables, `net`, `math/big`, and the Unicode tables of x/text. An empty Go program is 1.8 MB here, so about two thirds of probe is one import.")
	r.user("Which crypto is that, and why so many? I'd like to see what there is in that tree, we may have to list it for an export declaration if we can't get rid of it.")
	r.says("The folder tree of crypto in the standard library, and below it which of it we link.",
		bash(`ls -R "$(go env GOROOT)/src/crypto"`).prints("fips140"),
		bash("go list -deps ./cmd/probe | grep ^crypto"))
	r.says("Most of these are `crypto/internal/fips140/...`, the implementation behind the public packages. They are in the binary because they are imported and initialise themselves, not because we call them. If net/http goes, all of them go.")
}

func shellReplace(r *recorder) {
	r.user("Then net/http has to go. But before you replace it I want to know exactly what DetectContentType promises, and what its tests check, so that we don't lose cases silently.")
	r.says("The documentation first.", bash("go doc net/http.DetectContentType; go doc -all net/http").prints("DetectContentType"))
	r.says("That was more than needed, the answer stood in the first lines: at most 512 bytes are considered, the algorithm is the WHATWG one, and it always returns a valid type, `application/octet-stream` if nothing fits. The table itself and its tests:",
		read("src/net/http/sniff.go"),
		bash("go test -v -run 'TestDetectContentType|TestServerContentTypeSniff' net/http"),
		grep(`\{"[^"]+", \[\]byte`, "src/net/http/sniff_test.go"))
	r.says("Now I know what there is: dozens of signatures, masked for HTML because tags are matched without case, and a rule for text: no binary control bytes. Which of those types can occur on the device?", bash(`for f in samples/*; do printf '%s:%s\n' "$f" "$(head -c 6 "$f" | od -An -tx1)"; done`), bash("go run ./cmd/probe samples/*"))
	r.user("On the device only html, plain text, gif, png, jpeg and gzip occur, the uploader refuses everything else. So only those, and octet-stream for the rest. Text must stay exactly as net/http does it, that's what the support team looks at.")
	r.says("I'll copy the rule for text and the HTML signatures in meaning, and compare with net/http in a test: a test may import net/http, it is not in the binary. That keeps us honest without the megabytes.",
		write("internal/kind/kind.go", kindSource),
		write("internal/kind/kind_test.go", kindTest),
		bash("gofmt -l internal; go vet ./... && go test -v ./internal/kind").fails().prints("--- FAIL"))
	r.says("The comparison found one: I look for a tag at the very start, net/http skips white space first (`firstNonWS`), and its text rule starts there as well. One more line.",
		edit("internal/kind/kind.go", "\tif isHTML(data) {\n", "\tdata = bytes.TrimLeft(data, \"\\t\\n\\x0c\\r \")\n\tif isHTML(data) {\n"),
		bash("gofmt -l internal; go vet ./... && go test -v ./internal/kind").prints("ok"))
	r.says("",
		edit("cmd/probe/main.go", "http.DetectContentType(data)", "kind.Of(data)"),
		edit("cmd/probe/main.go", "\t\"net/http\"\n\t\"os\"\n", "\t\"os\"\n\n\t\"example.com/probe/internal/kind\"\n"),
		bash("gofmt -l . ; go vet ./... && go test ./... && go build -ldflags='-s -w' -o bin/probe-stripped ./cmd/probe && wc -c bin/probe-stripped && go run ./cmd/probe samples/* && go list -deps ./cmd/probe | grep -c ^crypto").fails())
	r.says("(The exit status is grep's: it counted 0 packages of crypto, which is what we want. bin/empty.go is my empty program from before, it goes when I remove bin.)\n\nThe binary is about half of what it was. What decides a type is a table of our own now, and a test compares it with net/http for every case that may occur.")
}

func shellPlain(r *recorder) {
	r.user("Good. Is the JSON still safe to put into a page? I remember that encoding/json escapes < and >. Is that tested in the standard library, or only documented?")
	r.says("Let me run the tests of encoding/json and look for it.",
		bash("go test -v encoding/json").prints("TestHTMLEscape"),
		grep(`u003c`, "src/encoding/json"))
	r.says("Tested, not only documented: `TestHTMLEscape` and the encoder's tests check `\\u003c`, and it is on unless `SetEscapeHTML(false)` is called, which we don't do.")
	r.user("Forget JSON then, I just heard that the page reads tab-separated lines. Two columns, type first, then the name. Names with a tab or line break must not break the format. Drop encoding/json if nothing else needs it.")
	r.says("A name is quoted with strconv.Quote only if it needs it, so that ordinary names stay as they are. I chose that rather than dropping the odd characters, because a name must still lead to its file.",
		write("cmd/probe/main.go", probePlain),
		bash("gofmt -l . ; go vet ./... && go build -ldflags='-s -w' -o bin/probe-stripped ./cmd/probe && wc -c bin/probe-stripped && touch \"$(printf 'samples/odd\\tname')\" && go run ./cmd/probe samples/*").prints("text/plain"))
	r.says("encoding/json is gone as well. One check of the whole list of packages, for the declaration:",
		bash("go list -deps ./cmd/probe"), bash("go test ./... && rm -r bin"))
	r.user("Perfect, no crypto left. Summarise for the release notes: size before and after, what types are recognised, what changed in the output.")
}
