package main

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/condenser-go/condenser/message"
)

// kindsSession has every kind of message and of block, and the marks: pinned,
// internal, atomic, signed, redacted, an aborted reply, and an entry of a kind
// the library does not know. Its signatures are made up.
var kindsSession = session{
	name:  "kinds",
	start: time.Date(2026, 1, 20, 16, 0, 0, 0, time.UTC),
	play: func(r *recorder) {
		r.seed("go.mod", "module example.com/chart\n\ngo 1.25.0\n")
		r.seed("hist.go", histSource)
		r.seed("hist_test.go", histTest)
		r.seed("data/latency.txt", strings.ReplaceAll(latencyData, " ", "\n"))
		kindsResumed(r)
		kindsDrawing(r)
		kindsScale(r)
	},
}

// signature returns what looks like a provider's signature of text.
func signature(text string) string {
	var b []byte
	for sum := sha256.Sum256([]byte(text)); len(b) < 192; sum = sha256.Sum256(sum[:]) {
		b = append(b, sum[:]...)
	}
	return base64.StdEncoding.EncodeToString(b)
}

func signed(text string) *message.Thinking {
	return &message.Thinking{Text: text, Signature: signature(text)}
}

func kindsResumed(r *recorder) {
	r.system(`You are a coding agent. Tools: read, grep, ls, bash, write, edit, todo. An image that you read is shown to you. The user may run commands of their own; you see them with their output.`)
	r.user("Rules for this repository, for the whole session: only the standard library, never a package-level variable that changes, and every exported name has a doc comment. Ask before you change the signature of Bins.").Pinned = true
	r.note(&message.CompactionSummary{
		Summary:      "## Goal\nA histogram of response times as a PNG, for the weekly report.\n\n## Done\n- hist.go: Bins sorts values into equal bins; hist_test.go covers no values and equal values.\n- data/latency.txt: 60 values in milliseconds.\n\n## Open\n- Draw, and a command that writes chart.png.",
		TokensBefore: 41870,
	})
	note := message.NewCustom("environment", "working directory: the module example.com/chart\nfiles: data/ go.mod hist.go hist_test.go")
	note.Internal = true
	r.note(note)
	r.userRuns("go test ./...", 0)
	r.user("The tests pass here. Go on with Draw and with cmd/chart, which makes chart.png from data/latency.txt.")
}

func kindsDrawing(r *recorder) {
	r.replies(signed("The summary says Bins exists and that its signature must not change without asking. Read it before writing against it. Draw should take counts, not values, so that it does not depend on Bins."),
		"I'll read what is there first.", read("hist.go"), read("hist_test.go"), bash("sort -n data/latency.txt | sed -n '1p;$p'; wc -l < data/latency.txt"))
	r.replies(signed("Values from 3 to 250, 60 of them. Draw(counts, width, height) *image.Paletted keeps it testable: pixels can be checked. The command does the files."),
		"Draw takes counts, so that it can be tested without data; the command reads and writes the files.",
		todo("[~] Draw and cmd/chart", "[ ] look at chart.png", "[ ] tests for Draw"),
		write("draw.go", drawSource), write("cmd/chart/main.go", chartMain),
		bash("gofmt -l . ; go vet ./... && go run ./cmd/chart data/latency.txt").fails().prints("index out of range"))
	a := r.replies(signed("index out of range [12] with length 12: the largest value is exactly at the upper end, so (v-min)/width is n. hist_test.go has only the cases without values and with equal values, so no test ever had a maximum apart from the minimum. The fix is to put the maximum into the last bin; the signature stays."),
		"The panic is in `Bins`, not in Draw: the largest value lies exactly on the upper end and gets the index n. The root cause is a half-open last bin; the maximum belongs into it. That changes no signature.",
		edit("hist.go", "counts[int((v-low)/width)]++", "counts[min(int((v-low)/width), n-1)]++"),
		edit("hist_test.go", "func TestBinsEven", histMaxTest+"\nfunc TestBinsEven"),
		bash("gofmt -l . ; go vet ./... && go test ./... && go run ./cmd/chart data/latency.txt && wc -c chart.png").prints("ok", "60 values"))
	message.Calls(a)[0].Signature = signature("edit hist.go")
	r.says("", read("chart.png"))
	r.says("The picture is there, but the bars hang from the upper edge: y grows downwards in package image, and I fill from 0. They must be filled from the height up.",
		edit("draw.go", "image.Rect(i*barWidth+1, 0, (i+1)*barWidth, high)", "image.Rect(i*barWidth+1, height-high, (i+1)*barWidth, height)"),
		write("draw_test.go", drawTest),
		bash("gofmt -l . ; go vet ./... && go test ./... && go run ./cmd/chart data/latency.txt"))
	r.says("", read("chart.png"), todo("[x] Draw and cmd/chart", "[x] look at chart.png", "[x] tests for Draw"))
	r.says("The bars stand on the lower edge now. A test checks the pixels of two bars, so that this can't turn over again.").Atomic = true
}

func kindsScale(r *recorder) {
	r.note(&message.BranchSummary{
		Summary: "An attempt to write SVG instead of PNG was abandoned: the report tool accepts no SVG. Nothing of it was kept; the files are as they were before it.",
		FromID:  r.msgs[len(r.msgs)-1].Head().ID,
	})
	r.user("Sorry for the detour with SVG, PNG it is. One thing about the picture: the first bar is so high that nobody sees the others. Can the heights be logarithmic? Only the heights, the bins must stay linear.")
	aborted := r.says("Yes. A bar of one value must stay visible, so")
	aborted.StopReason, aborted.ErrorMessage = "error", "overloaded: the provider ended the stream"
	r.user("You were cut off. Go on, please.")
	r.replies(&message.Thinking{Text: signature("redacted"), Redacted: true},
		"A bar of one value must stay visible, so the height is log(1+count) over log(1+highest): 0 stays 0, and 1 is more than nothing. I decided against log(count) because it would draw a bin of one value like an empty one.",
		edit("draw.go", "high := height * c / highest", "high := int(float64(height) * math.Log1p(float64(c)) / math.Log1p(float64(highest)))"),
		edit("draw.go", "\t\"image/color\"\n", "\t\"image/color\"\n\t\"math\"\n"),
		bash("gofmt -l . ; go vet ./... && go test ./...").fails().prints("FAIL"))
	r.says("The test expects half the height for half the count, which was the linear rule. That is a wanted change, so the test has to say the new one.",
		edit("draw_test.go", drawLinear, drawLogarithmic),
		bash("gofmt -l . ; go vet ./... && go test -v ./... && go run ./cmd/chart data/latency.txt"), read("chart.png"))
	r.note(&message.Unknown{Raw: []byte(`{"kind":"checkpoint","id":"kinds-checkpoint-1","files":["draw.go","draw_test.go","hist.go","hist_test.go","cmd/chart/main.go"]}`)})
	r.says("Heights are logarithmic now and the small bins can be seen. The bins themselves are linear as before, and `Bins` has its old signature.")
	r.userRuns("go run ./cmd/chart data/missing.txt", 1)
	r.note(message.NewCustom("note", "Reviewed by the user: picture accepted for week 4."))
	r.user("Accepted. As you see above, a missing file ends in a panic. It must be one line on standard error and exit status 1, without a stack trace.")
	r.says("`run` returns an error instead, and main prints it.",
		edit("cmd/chart/main.go", chartPanics, chartErrors),
		bash("gofmt -l . ; go vet ./... && go build -o chart.bin ./cmd/chart && ./chart.bin data/missing.txt; status=$?; rm chart.bin; exit $status").fails().prints("no such file"))
	r.says("That is the wanted failure: one line, exit status 1. And the ordinary case:",
		bash("go run ./cmd/chart data/latency.txt && go test ./..."), ls("."))
	r.says("A missing file is one line on standard error now, and the ordinary case works as before.")
	r.user("Thanks. Next week's data comes with a header line, `ms`. Skip it if it is there, and tell me what happens with an empty file.")
}
