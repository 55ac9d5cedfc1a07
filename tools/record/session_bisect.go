package main

import (
	"fmt"
	"time"
)

// bisectSession is of medium length and mostly git: a regression is found by
// git bisect run, fixed, and a branch that conflicts with the fix is merged,
// taken back and rebased.
var bisectSession = session{
	name:  "bisect",
	start: time.Date(2026, 1, 21, 10, 20, 0, 0, time.UTC),
	play: func(r *recorder) {
		r.seed("go.mod", "module example.com/wrap\n\ngo 1.25.0\n")
		r.seed("wrap.go", wrapFirst)
		r.setup("git init -q -b main .")
		r.commit(1, "Add Wrap")
		r.seed("wrap_test.go", wrapTest)
		r.commit(2, "Add a test", "git tag v0.1.0")
		r.seed("wrap.go", wrapRunes)
		r.commit(3, "Count runes, not bytes")
		r.seed("README.md", "# wrap\n\nBreaks text into lines.\n")
		r.commit(4, "Add a readme")
		r.seed("wrap.go", wrapBuilder)
		r.commit(5, "Build the text in one piece")
		r.seed("cmd/wrap/main.go", wrapCommand)
		r.commit(6, "Add the command")
		r.seed("wrap.go", wrapParagraphs)
		r.commit(7, "Keep paragraphs apart")
		r.setup("git checkout -q -b hyphen")
		r.seed("wrap.go", wrapHyphen)
		r.seed("hyphen_test.go", hyphenTest)
		r.commit(8, "Break behind a hyphen", "git checkout -q main")
		r.seed("README.md", "# wrap\n\nBreaks text into lines: `wrap < file`.\n")
		r.commit(9, "Say how the command is used")
		bisectFind(r)
		bisectMerge(r)
	},
}

// commit commits all files as of the given day of January, then runs commands.
func (r *recorder) commit(day int, subject string, then ...string) {
	at := fmt.Sprintf("2026-01-%02dT09:00:00Z", day)
	r.setup(fmt.Sprintf("git add -A && GIT_AUTHOR_DATE=%s GIT_COMMITTER_DATE=%s git commit -q -m %q", at, at, subject))
	for _, command := range then {
		r.setup(command)
	}
}

func bisectFind(r *recorder) {
	r.system(`You are a coding agent in a git repository. Tools: read, grep, ls, bash, write, edit. Never rewrite a commit that is on main, and never push.`)
	r.user("wrap makes lines that are longer than -width asked for. I'm sure v0.1.0 didn't. Find the commit that broke it, I want to know what we were thinking.")
	r.says("First what happens now, and what lies between the two versions.",
		bash("git status --short && git log --oneline --decorate v0.1.0..main && git branch -a"),
		bash("printf 'one two three four five six seven eight nine ten' | go run ./cmd/wrap -width 12 | awk '{ print length($0) \": \" $0 }'"),
		read("wrap.go"))
	r.says("Reproduced: two lines of 13 for a width of 12. Six commits, and the question is a yes or no, so git bisect can answer it by itself. It needs a test that says it, as an untracked file, so that it survives the checkouts.",
		write("width_test.go", widthProperty),
		bash("go test -run TestWidth . && echo good").fails().prints("FAIL"))
	r.says("", bash("git bisect start main v0.1.0 && git bisect run go test -run TestWidth ."), bash("git bisect log"))
	r.says("It is \"Build the text in one piece\". What it changed:", bash("git show refs/bisect/bad"), bash("git bisect reset"))
	r.says("What went wrong: the version before asked for `len(line) + 1 + len(word)`, and the line had its spaces in it. The rewrite counts words only: `n` never grows by the space it writes, and the check lost its `+ 1`. So a line may be too long by as many columns as it has spaces. The test of that time has two short words and could not notice.")
	r.user("Makes sense. Fix it on main with your test in it, one commit.")
	r.says("",
		edit("wrap.go", "\t\tcase n+w > width:\n", "\t\tcase n+1+w > width:\n"),
		edit("wrap.go", "\t\t\tb.WriteByte(' ')\n", "\t\t\tb.WriteByte(' ')\n\t\t\tn++\n"),
		bash("gofmt -l . ; go vet ./... && go test ./..."))
	r.says("", bash("git add width_test.go wrap.go && git commit -q -m 'Count the spaces of a line' && git log --oneline -1 --stat"),
		bash("printf 'one two three four five six seven eight nine ten' | go run ./cmd/wrap -width 12 | awk '{ print length($0) \": \" $0 }'"))
	r.says("Fixed in one commit, with a test that tries all widths from 1 to 40. No line is longer than asked, unless a single word is.")
}

func bisectMerge(r *recorder) {
	r.user("Now merge the branch hyphen, please.")
	r.says("", bash("git log --oneline main..hyphen && git merge --no-edit hyphen").fails().prints("CONFLICT"), bash("git diff"))
	r.says("As expected, it conflicts with the fix: the branch was made from the broken loop and changes the same lines. I'd write the loop so that it does both, but one thing first: the tests of both sides.",
		read("hyphen_test.go"), bash("git diff main...hyphen -- wrap.go"))
	r.user("Stop. I'd rather have a linear history. Abort the merge and rebase hyphen onto main instead; hyphen was never pushed, so that is fine.")
	r.says("I abort the merge and rebase. hyphen isn't on main, so no commit of main is rewritten.",
		bash("git merge --abort && git status --short --branch && git checkout -q hyphen && git rebase main").fails().prints("CONFLICT"))
	r.says("The same conflict, once. A part of a word that begins a word needs a space before it, a later part does not; both have to fit.",
		bash("grep -n '<<<<<<<\\|=======\\|>>>>>>>' wrap.go"),
		write("wrap.go", wrapBoth),
		bash("gofmt -l . ; go vet ./... && go test ./...").fails().prints("FAIL"))
	r.says("TestWidth caught me: I count the space once it is written, but the check before it asks for the part alone. The space belongs into the check, and only before the first part of a word.",
		edit("wrap.go", "\t\tfor i, part := range", "\t\tspace := 1 // before the first part of a word\n\t\tfor _, part := range"),
		edit("wrap.go", "case n+w > width:", "case n+space+w > width:"),
		edit("wrap.go", "case i == 0:", "case space == 1:"),
		edit("wrap.go", "\t\t\tn += w\n", "\t\t\tn += w\n\t\t\tspace = 0\n"),
		bash("gofmt -l . ; go vet ./... && go test -v ./..."))
	r.says("Both tests pass. What the loop looks like now, with a word that has to be split:",
		read("wrap.go", 23, 30), bash("printf 'a well-known-fact' | go run ./cmd/wrap -width 9"))
	r.says("", bash("git add -A && git rebase --continue && git log --oneline --graph --all"), bash("git checkout -q main && git merge --ff-only hyphen && go test ./... && git status --short --branch"))
	r.user("Good. Tag it v0.2.0 and write the tag's message: the fix first, then the new thing.")
}
