package main

import "time"

// breakdownSession is long: an agent gives this library's packages message and
// budget a table of where tokens go, in four turns of direction. It reads much
// of both packages and of the standard library.
var breakdownSession = session{
	name:  "breakdown",
	start: time.Date(2026, 1, 14, 8, 30, 0, 0, time.UTC),
	play: func(r *recorder) {
		r.seedRepo("message", "budget")
		r.seed("go.mod", "module github.com/condenser-go/condenser\n\ngo 1.25.0\n")
		r.seedSample("sample/session.jsonl")
		breakdownCommand(r)
		breakdownSum(r)
		breakdownLibrary(r)
		breakdownDecode(r)
		breakdownFollow(r)
		breakdownOrder(r)
	},
}

func breakdownCommand(r *recorder) {
	r.system(`You are a coding agent in a terminal. You work in one Go module and have these tools: read, grep, ls, bash, write, edit, todo. Paths are relative to the module; a path that begins with src/ is a file of the Go standard library. Read before you write. Run gofmt, go vet and the tests before you call something done, and say plainly what failed.`)
	r.user("I'm taking `message` and `budget` from condenser into our log viewer and want to see where the tokens of a session go: the user's words, the agent's words, tool calls, tool results. Look at how budget counts first. Don't change anything yet, just tell me what there is.")
	r.says("I'll start with the layout and the estimate itself.", ls("."), ls("budget"), read("budget/estimate.go"))
	r.says("", read("budget/counter.go"))
	r.says("The counter switches over message types, so I need those too.", read("message/message.go"), read("message/block.go"))
	r.says("What there is:\n\n" +
		"- `budget.EstimateMessageTokens(m)` is the only rule: characters over 3.6, **rounded up once a message**, plus 4 a message, 2 a block, 6 for a tool call or a tool result, 1,024 for an image.\n" +
		"- `budget.EstimateTokens(msgs)` is the plain sum, so per kind of message the parts add up to the whole.\n" +
		"- A tool call is no message of its own. It is a block in an `*message.Assistant`, next to the agent's words. To tell words from calls we have to look into assistant messages; everything else is a matter of `m.Kind()`.\n\n" +
		"Nothing is changed.")

	r.user("Good. Then write a small command `cmd/where` that reads a stored session and prints a table: part, messages, tokens, share. Keep it under 100 lines, standard library only. There is a recording to try it on in sample/session.jsonl.")
	r.says("I'll look at the stored form, then write it.",
		todo("[~] read how sessions are stored", "[ ] write cmd/where", "[ ] try it on sample/session.jsonl"),
		read("message/doc.go"), bash("wc -lc sample/session.jsonl && head -c 600 sample/session.jsonl"))
	r.says("One message a line. I decode line by line with a scanner, so that a bad line can be named in the error.",
		todo("[x] read how sessions are stored", "[~] write cmd/where", "[ ] try it on sample/session.jsonl"),
		write("cmd/where/main.go", whereMain))
	r.says("", bash("gofmt -l cmd && go vet ./cmd/where && go run ./cmd/where sample/session.jsonl").fails().prints("token too long"))
	r.says("The sample has a line that the scanner refuses. Before I raise a limit I want to know what the limit is and what else the scanner does with long lines.",
		bash("awk '{ if (length($0) > n) { n = length($0); l = NR } } END { print \"longest line:\", l, \"with\", n, \"bytes\" }' sample/session.jsonl"),
		read("src/bufio/scan.go"))
	r.says("`MaxScanTokenSize` is 64 KiB and the longest line here is larger. `Scanner.Buffer` could raise that, but to what? A tool result has no bound. Let me see how the package reads its own form.",
		read("message/decode.go"))
	r.says("`message.Decode` already does what I rebuilt badly: it joins the parts of a long line itself up to 256 MiB, and a bad line comes back as a `*LineError` with its number. So I decided to use `message.Decode` instead of a scanner with a bigger buffer: one reader for the stored form, one limit, and the line numbers I wanted are there.",
		edit("cmd/where/main.go", whereScan, whereDecode),
		edit("cmd/where/main.go", "import (\n\t\"bufio\"\n\t\"fmt\"", "import (\n\t\"fmt\""),
		bash("gofmt -l cmd && go vet ./cmd/where && go run ./cmd/where sample/session.jsonl").prints("tool_result"))
	r.says("It runs. `tool_result` is most of the session, as one would expect from an agent that reads files.",
		todo("[x] read how sessions are stored", "[x] write cmd/where", "[x] try it on sample/session.jsonl"))
	r.says("`cmd/where` is there and works on the sample. The first version failed on a line over 64 KiB (bufio.Scanner's limit); it uses `message.Decode` now.")
}

func breakdownSum(r *recorder) {
	r.user("Two things. The tokens in your table don't add up to what our viewer shows, and the viewer uses budget.EstimateTokens for the whole file. And please align the numbers on the right.")
	r.says("Then the split of assistant messages is the suspect: everything else is counted by `EstimateMessageTokens` itself. I'll prove it with a test before I touch it.",
		write("cmd/where/main_test.go", whereTest),
		bash("go test ./cmd/where").fails().prints("FAIL"))
	r.says("Confirmed, and only because of assistant messages. I count each block by itself: that rounds up once a *block* (the rule rounds once a *message*), forgets the 4 tokens of the message, and leaves thinking out.\n\n"+
		"The fix is not to repeat the rule with other roundings but to use it twice: the words are the message without its calls, the calls are the rest. Let me see whether there is a clean way to copy a message.",
		read("message/derive.go"), read("message/text.go"))
	r.says("`message.Derive` is what I need.",
		edit("cmd/where/main.go", whereCountBlocks, whereCountRest),
		edit("cmd/where/main.go", "import (\n\t\"fmt\"\n\t\"os\"\n", "import (\n\t\"fmt\"\n\t\"os\"\n\t\"slices\"\n"),
		bash("gofmt -l cmd; go vet ./cmd/where && go test ./cmd/where").prints("ok"))
	r.says("The sum is right now, whatever a message holds. For the alignment I'd rather use text/tabwriter than count columns; its flags first.",
		read("src/text/tabwriter/tabwriter.go"))
	r.says("`AlignRight` pads on the left of every cell, the first column included, so the names would go right as well. I keep them left by giving the name a fixed width and letting tabwriter do the numbers only.",
		edit("cmd/where/main.go", wherePrint, whereTable),
		edit("cmd/where/main.go", "\t\"slices\"\n", "\t\"slices\"\n\t\"text/tabwriter\"\n"),
		bash("gofmt -l cmd; go vet ./cmd/where && go test ./cmd/where && go run ./cmd/where sample/session.jsonl").prints("total"))
	r.says("Done: the total line is `budget.EstimateTokens` of the whole file, the parts add up to it (there is a test for that now), and the numbers stand on the right.")
}

func breakdownLibrary(r *recorder) {
	r.user("I have to change direction, sorry. The viewer redraws on every key press and must not start a process for this. Make it a function in package budget, `ByPart(msgs) Breakdown`, and let cmd/where call it. It must not allocate, because it runs for every frame. Don't touch the existing exported API.")
	r.says("",
		todo("[~] budget.ByPart with tests", "[ ] no allocation, with a test", "[ ] cmd/where calls it"),
		read("budget/doc.go"), read("budget/memo.go"), grep(`AllocsPerRun`, "src/testing"))
	r.says("The obvious form first, a map from part to share, and both tests.",
		write("budget/breakdown.go", breakdownMap),
		write("budget/breakdown_test.go", breakdownTest),
		bash("gofmt -l budget; go vet ./budget && go test -v ./budget").fails().prints("--- PASS: TestByPartAddsUp", "--- FAIL: TestByPartAllocatesNothing"))
	r.says("It adds up, and it allocates: the map, of course. Before I blame only the map, what exactly does AllocsPerRun measure?",
		read("src/testing/allocs.go"))
	r.says("It counts mallocs over the runs and rounds down to a whole number, after one warm-up call, so that number is real. A fixed set of parts needs no map: I make `Part` a small integer and `Breakdown` an array indexed by it. An array is a value, so it lives on the caller's stack, and it has an order of its own, which a table wants anyway.",
		write("budget/breakdown.go", breakdownArray),
		bash("gofmt -l budget; go vet ./budget && go test -v ./budget").prints("--- PASS: TestByPartAllocatesNothing"))
	r.says("Both pass. Now the command becomes a caller.",
		todo("[x] budget.ByPart with tests", "[x] no allocation, with a test", "[~] cmd/where calls it"),
		write("cmd/where/main.go", whereThin),
		bash("rm cmd/where/main_test.go && gofmt -l . ; go vet ./... && go test ./... && go run ./cmd/where sample/session.jsonl").prints("total", "tool results"))
	r.says("", todo("[x] budget.ByPart with tests", "[x] no allocation, with a test", "[x] cmd/where calls it"))
	r.says("`budget.ByPart` returns a `Breakdown`, an array of `Share` by `Part`. It allocates nothing, which a test holds. The command's own test moved into budget with the logic. No existing name of the package changed.")
	r.user("How long does it take for the sample? And please use b.Loop in the benchmark, we're on a recent Go. I've been told the compiler can't optimise the body away with it. Is that true?")
	r.says("I'll write the benchmark and look the claim up rather than repeat it.",
		write("budget/breakdown_bench_test.go", breakdownBench),
		bash("go test -run '^$' -bench ByPart -benchmem ./budget | grep Benchmark").prints("BenchmarkByPart"),
		grep(`func \(b \*B\) (Loop|loopSlowPath|ResetTimer|runN)`, "src/testing/benchmark.go"),
		grep(`optimiz|keepalive|inlin`, "src/testing/benchmark.go"))
	r.says("", read("src/testing/benchmark.go", 100, 460))
	r.says("It is true, with a limit that the doc comment of `B.Loop` states: the loop must be written exactly as `for b.Loop() { ... }`; then the compiler keeps arguments and results of calls in the body alive, and the setup before the loop runs once and is not timed.\n\nThe result above is the time for the whole sample, with 0 allocations: some 50,000 tokens in well under a frame.")
}

func breakdownDecode(r *recorder) {
	r.user("Fine, that is nothing. Then our reload is slow because of decoding. We call message.Decode on the whole file each time it grows. Find out what dominates there.")
	r.says("A profile says more than reading would, so that first.",
		todo("[~] profile message.Decode", "[ ] say what dominates and why", "[ ] propose one change"),
		write("message/decode_bench_test.go", decodeBench),
		bash("go test -run '^$' -bench Decode -benchmem -cpuprofile build.cpu -o build.test ./message | grep Benchmark && go tool pprof -top -cum -nodecount 30 build.test build.cpu 2>&1 | tail -n +7; rm -f build.cpu build.test").prints("json.Valid", "message.Decode"))
	r.says("`json.Valid` is the largest single part, and the rest is our own cutting. I'll read both sides.", read("message/raw.go"), read("src/encoding/json/scanner.go"))
	r.says("",
		todo("[x] profile message.Decode", "[~] say what dominates and why", "[ ] propose one change"),
		grep(`readFields|cutObject|cutArray`, "message"), read("message/encode.go"))
	r.says("One alternative to judge before I answer: json.Decoder reads from a stream and would spare us cutting lines.", read("src/encoding/json/stream.go"))
	r.says("What dominates and why:\n\n" +
		"1. Every line is walked by `json.Valid`: a state machine with one indirect call a byte (`s.step(s, c)` in scanner.go). It runs once a line, not once a block, so there is no double work to remove.\n" +
		"2. Then `skipValue` walks the same bytes again to cut the line's object, its content array and each block.\n" +
		"3. `unquote` copies the text. That has to be.\n\n" +
		"json.Decoder would not help: it finds the end of a value with the same scanner, byte by byte, and decodes afterwards.\n\n" +
		"We could drop `json.Valid` and check while cutting. I would not: cutObject, cutArray and unquote index without bounds of their own *because* the line is known to be valid, and the nesting limit comes from there too.\n\n" +
		"The real cost is elsewhere: you decode the whole file each time it grows by a line. Transcripts are append-only. My proposal is a reader that remembers how far it came and decodes what was appended.")
}

func breakdownFollow(r *recorder) {
	r.user("Agreed, leave the decoder alone. Make the follower: package `follow`, one type, `Next()` returns the messages that were appended since the last call. The agent writes while we read, so a last line without a line break must not be consumed, and never return half a message. If the file got shorter, start over.")
	r.says("First the plumbing: read from an offset with Seek, or through a SectionReader?", read("src/io/io.go", 440, 300))
	r.says("A SectionReader needs its length in advance, and the file grows while we read. The file is opened for each call, so nobody else moves its position: Seek is enough. Three rules, so three tests, written before the code.",
		todo("[x] profile message.Decode", "[x] say what dominates and why", "[~] package follow: only what was appended", "[ ] a line without a break is left for later", "[ ] start over when the file got shorter"),
		write("follow/follow_test.go", followTest),
		write("follow/follow.go", followFirst),
		bash("gofmt -l follow; go vet ./follow && go test ./follow").fails().prints("FAIL"))
	r.says("Appending works; the half line does not: `Next` returned an error for it and would lose the rest. I expected `ReadBytes` to hold a line back at the end of the file. What does it promise?",
		grep(`func \(b \*Reader\) (ReadBytes|ReadSlice|ReadString|ReadLine|collectFragments|fill|Buffered)`, "src/bufio/bufio.go"),
		read("src/bufio/bufio.go", 320, 190))
	r.says("\"If ReadBytes encounters an error before finding a delimiter, it returns the data read before the error and the error itself (often io.EOF).\" So at the end of the file it hands out the half line *with* io.EOF, and I counted it as read. The position may only advance over lines that end in a line break.",
		edit("follow/follow.go", followEager, followPatient),
		bash("gofmt -l follow; go vet ./follow && go test -v ./follow").fails().prints("--- PASS: TestHalfLine", "--- FAIL: TestShorter"))
	r.says("Progress: the half line waits now. What is left is a file that got shorter; I never looked at the size. `Stat` on the open file before seeking is enough.",
		todo("[x] profile message.Decode", "[x] say what dominates and why", "[x] package follow: only what was appended", "[x] a line without a break is left for later", "[~] start over when the file got shorter"),
		edit("follow/follow.go", followSeek, followSize),
		bash("gofmt -l follow; go vet ./follow && go test -v ./follow").prints("--- PASS: TestShorter", "ok"))
	r.says("", todo("[x] profile message.Decode", "[x] say what dominates and why", "[x] package follow: only what was appended", "[x] a line without a break is left for later", "[x] start over when the file got shorter"),
		bash("go test -run '^$' -bench . -benchmem ./follow ./message | grep Benchmark").prints("BenchmarkNext", "BenchmarkDecode"))
	r.says("`follow.Reader.Next` decodes only what was appended. The two benchmarks above are the same sample: everything against one appended line. A file that was replaced by a longer one is not noticed; that would need a look at the inode, and you said the files are append-only.")
	r.user("Right, append-only, leave it. But what about tool calls that have no answer yet, because the agent is still running them? I want the number of those in the viewer's status line.")
	r.says("There is a pairing in the message package; calls and results belong together by position, not only by id.", read("message/pair.go"), read("message/validate.go"), read("message/validate_content.go"))
	r.says("Validate is about what may be *sent* and would report an open call as a violation (V3); that is not the question. `message.Pair(msgs)` without a rule of my own. I put it beside the breakdown rather than into it, since a number of calls is no number of tokens.",
		write("follow/open.go", followOpen), write("follow/open_test.go", followOpenTest),
		bash("gofmt -l follow; go vet ./follow && go test ./follow").prints("ok"))
}

func breakdownOrder(r *recorder) {
	r.user("Good. Last thing for today: in cmd/where sort the rows by tokens, the largest first, leave out empty ones, and rows with equal tokens must keep the order of the constants. Is slices.SortFunc stable?")
	r.says("Let me look instead of guessing.", read("src/slices/sort.go"))
	r.says("It is not: \"SortFunc ... This sort is not guaranteed to be stable\", and `SortStableFunc` is. With seven rows the insertion sort inside would behave stably by accident, which is no reason to rely on it, so I use `SortStableFunc`.",
		edit("cmd/where/main.go", whereRows, whereSorted),
		bash("gofmt -l cmd; go vet ./cmd/where").fails().prints("undefined: slices"))
	r.says("I forgot the import, and cmp will be the next to be missing. Both.",
		edit("cmd/where/main.go", "import (\n\t\"fmt\"\n\t\"os\"\n", "import (\n\t\"cmp\"\n\t\"fmt\"\n\t\"os\"\n\t\"slices\"\n"),
		bash("gofmt -l . ; go vet ./... && go test ./... && go run ./cmd/where sample/session.jsonl").prints("total"))
	r.says("Rows are sorted by tokens with a stable sort, empty ones are gone, and everything passes: gofmt, vet and the tests of all packages.\n\nChanged today: budget/breakdown.go (new), follow/ (new), cmd/where (new), and a benchmark in message. No existing function was changed.")
	r.user("Before I merge: write me the changelog entry for this, four lines at most, and don't mention the benchmark.")
}
