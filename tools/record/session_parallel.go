package main

import (
	"time"

	"github.com/condenser-go/condenser/message"
)

// parallelSession has up to five calls in one message, and many that fail: a
// file that is not there, go build, go vet and go test on a module with
// deliberate bugs, a test that hangs, an edit that does not fit. It ends with
// tool results.
var parallelSession = session{
	name:  "parallel",
	start: time.Date(2026, 1, 15, 13, 5, 0, 0, time.UTC),
	play: func(r *recorder) {
		r.seed("go.mod", "module example.com/lru\n\ngo 1.25.0\n")
		r.seed("lru.go", lruSource)
		r.seed("shard.go", shardSource)
		r.seed("lru_test.go", lruTest)
		r.seed("cmd/lrubench/main.go", lrubenchSource)
		parallelRepair(r)
		parallelCompute(r)
		parallelTTL(r)
	},
}

func parallelRepair(r *recorder) {
	r.system(`You are a coding agent working on the Go module example.com/lru. Tools: read, grep, ls, bash, write, edit, todo. You may call several tools in one message when none needs the answer of another. Paths that begin with src/ are files of the Go standard library. Never change an exported name without being asked.`)
	r.user("CI is red since the sharding change went in. Find out everything that is wrong before you fix anything. The exported API must stay as it is: two services use it.")
	r.says("I'll take a look at the module and at the files it should consist of.",
		ls("."), read("go.mod"), read("lru.go"), read("cache.go").fails().prints("no such file"))
	r.says("There is no cache.go; the cache itself is in lru.go. The rest of it, and what the build says:",
		read("shard.go"), read("lru_test.go"), read("cmd/lrubench/main.go"), grep(`NewSharded|WithTTL|GetOrCompute`, "."), bash("go build ./...").fails().prints("shard.go"))
	r.says("The build stops before vet and the tests can say anything about this package, so the list is not complete yet. `init` never existed on Cache: the change was written against another version of it. I need the doc of container/list for the eviction as well, because lru.go removes from the *front*, which looks wrong to me.",
		bash("go vet ./...").fails(), bash("go test ./...").fails().prints("FAIL"), read("src/container/list/list.go"), grep(`func Comparable`, "src/hash/maphash"))
	r.says("`PushFront` and `MoveToFront` make the front the most recently used, so evicting `Front()` throws away the entry that was just put in. What I know now, and what only shows once it builds:",
		todo("[~] shard.go does not build: init is undefined, fmt is unused", "[ ] eviction removes the newest entry", "[ ] vet and tests once it builds"))
	r.replies(&message.Thinking{Text: "Smallest step that builds: parts become pointers made by New. That also removes the copying of locks in Len that vet will probably report, since the array then holds pointers. But change only the build first and see what vet says, otherwise I cannot tell which of my changes fixed what."},
		"The smallest change that builds first, so that vet and the tests can speak.",
		edit("shard.go", "\t\ts.parts[i].init(max / shards)\n", "\t\ts.parts[i] = *New[K, V](max / shards)\n"),
		edit("shard.go", "import (\n\t\"fmt\"\n\t\"hash/maphash\"\n)", "import \"hash/maphash\""))
	r.says("Three independent checks:", bash("go build ./..."), bash("go vet ./...").fails().prints("lock", "Printf"), bash("go test ./...").fails().prints("TestEvictsOldest", "TestShardedKeeps"))
	r.says("Now the list is complete:\n\n" +
		"1. Eviction removes the newest entry (`Front` instead of `Back`).\n" +
		"2. `NewSharded` and `Len` copy caches, and with them their mutexes. A copied mutex protects nothing.\n" +
		"3. `max / shards` is 0 for fewer than 16 entries, so a small sharded cache holds nothing.\n" +
		"4. lrubench prints a number with %s.\n\n" +
		"I decided to hold the parts by pointer instead of adding an init method: a `Cache` then exists only behind a pointer, so that it cannot be copied by accident again.")
	r.user("Good list. Fix all four. For number 3 round up, a cache may hold a few more than asked but never fewer.")
	r.says("All four, in three files.",
		edit("lru.go", "c.remove(c.order.Front())", "c.remove(c.order.Back())"),
		edit("shard.go", "parts [shards]Cache[K, V]", "parts [shards]*Cache[K, V]"),
		edit("shard.go", "\t\ts.parts[i] = *New[K, V](max / shards)\n", "\t\ts.parts[i] = New[K, V]((max + shards - 1) / shards)\n"),
		edit("shard.go", "func (s Sharded[K, V]) Len() int {", "func (s *Sharded[K, V]) Len() int {"),
		edit("cmd/lrubench/main.go", "%d entries, %s hits", "%d entries, %d hits"))
	r.says("", bash("go build ./...").fails().prints("shard.go"), bash("gofmt -l ."))
	r.says("`part` still takes the address of an element.",
		edit("shard.go", "return &s.parts[", "return s.parts["))
	r.says("", bash("go vet ./..."), bash("go test -v ./..."), bash("go test -race ./...").fails().prints("cgo"))
	r.says("Vet is clean and the tests pass.",
		todo("[x] shard.go does not build: init is undefined, fmt is unused", "[x] eviction removes the newest entry", "[x] vet and tests once it builds", "[ ] race detector: needs cgo, not available here"))
	r.says("All four are fixed and no exported name changed (`Len` has a pointer receiver now, but a `Sharded` was only ever handed out as a pointer). One thing I could not do: `go test -race` needs cgo, which is switched off here.")
}

func parallelCompute(r *recorder) {
	r.user("No cgo on the runners either, so never mind the race detector. But write me a stress test that would notice what we care about: GetOrCompute must compute once per key, however many ask at the same time. Someone reported double computations.")
	r.says("As it stands it looks up, computes and puts without anything in between, so two callers that miss at the same time both compute. The test will say how often.",
		write("stress_test.go", stressTest),
		bash("go test -run 'ComputesOnce|Recursive' ./...").fails().prints("FAIL: TestComputesOnce"))
	r.says("The report is right. The simple fix is a lock around the whole function.",
		edit("shard.go", "\tseed  maphash.Seed\n", "\tseed  maphash.Seed\n\tmu    sync.Mutex // held while a value is computed\n"),
		edit("shard.go", "import \"hash/maphash\"", "import (\n\t\"hash/maphash\"\n\t\"sync\"\n)"),
		edit("shard.go", shardComputeTwice, shardComputeLocked),
		bash("gofmt -l . ; go vet ./... && go test -timeout 3s -v -run 'ComputesOnce|Recursive' .").fails().prints("--- PASS: TestComputesOnce", "test timed out", "TestRecursive"))
	r.replies(&message.Thinking{Text: "TestComputesOnce passes, TestRecursive hangs: compute calls GetOrCompute again and waits for the lock its own caller holds. sync.Mutex is not reentrant. A lock per key would only help with different keys in different shards... no, per key helps here, since fib(n) asks for other keys. So: one in-flight record per key, lock only around the map."},
		"The root cause of the hang is in the trace: `compute` itself calls `GetOrCompute` and waits for the lock that its own caller holds. The lock must not be held while computing. So one record per key that is being computed: whoever comes second waits for that record instead of for the lock.",
		read("shard.go"), grep(`GetOrCompute`, "."), grep(`type call struct|func \(g \*Group\) (Do|doCall)`, "src/internal/singleflight"))
	r.says("The standard library has the same idea in internal/singleflight, which we can't import. I write the few lines we need; a compute that panics must not leave the others waiting, so the record is closed by a defer.",
		read("src/internal/singleflight/singleflight.go"),
		write("shard.go", shardFlight))
	r.says("", bash("gofmt -l . ; go vet ./...").fails().prints("errPanicked"), bash("go test -timeout 60s ./...").fails().prints("build failed"))
	r.says("I used `errPanicked` and never declared it. With it, a test for exactly that case.",
		edit("shard.go", "import (\n\t\"hash/maphash\"", "import (\n\t\"errors\"\n\t\"hash/maphash\""),
		edit("shard.go", "const shards = 16\n", "const shards = 16\n\nvar errPanicked = errors.New(\"lru: compute panicked\")\n"),
		edit("stress_test.go", "func TestRecursive(", panicTest+"\nfunc TestRecursive("))
	r.says("", bash("gofmt -l . ; go vet ./..."), bash("go test -timeout 20s -v -run 'ComputesOnce|Recursive|Panics' .").prints("--- PASS: TestPanics"), bash("go test -timeout 60s -count=30 ./..."))
	r.says("Each key is computed once, a compute may use the cache itself, and 30 runs in a row pass. A key that needs itself would still wait forever, as it would recurse forever without the cache.")
}

func parallelTTL(r *recorder) {
	r.user("Great. Now something else: drop the TTL. Nobody sets it except lrubench, and it is the only reason that Get can change anything but the order. Yes, this removes an exported option, that is fine: both services told me they don't use it.")
	r.says("",
		todo("[~] remove WithTTL and all that belongs to it", "[ ] lrubench without it", "[ ] build, vet, tests"),
		grep(`ttl|TTL|expires|now\b`, "."), read("lru.go"))
	r.says("I'll take it out from the inside: the uses first, then fields and option.",
		edit("lru.go", "en.expires = c.now().Add(c.ttl)\n", "").fails().prints("stands 2 times"),
		edit("lru.go", "\tif c.ttl > 0 && c.now().After(en.expires) {\n\t\tc.remove(e)\n\t\treturn value, false\n\t}\n", ""))
	r.says("That line stands there twice, once for an old entry and once for a new one; with their indentation they differ. Then the fields and the option.",
		edit("lru.go", "\t\ten.expires = c.now().Add(c.ttl)\n", ""),
		edit("lru.go", "\ten.expires = c.now().Add(c.ttl)\n", ""))
	r.says("",
		edit("lru.go", "\tttl   time.Duration\n", ""),
		edit("lru.go", "\tnow   func() time.Time\n", ""),
		edit("lru.go", "\tkey     K\n\tvalue   V\n\texpires time.Time\n", "\tkey   K\n\tvalue V\n"),
		edit("lru.go", lruOption, ""),
		bash("go build ./...").fails())
	r.says("What is left is the constructor, its import, and lrubench.",
		edit("lru.go", lruNew, lruNewPlain),
		edit("lru.go", "\t\"sync\"\n\t\"time\"\n", "\t\"sync\"\n"),
		edit("cmd/lrubench/main.go", "lru.New(size, lru.WithTTL[int, int](time.Minute))", "lru.New[int, int](size)"))
	r.says("", bash("go build ./...").fails().prints("lrubench"), bash("go vet . && go test ."))
	r.says("The package itself is through; lrubench has an import it does not need any more.",
		edit("cmd/lrubench/main.go", "\t\"fmt\"\n\t\"time\"\n", "\t\"fmt\"\n"),
		todo("[x] remove WithTTL and all that belongs to it", "[x] lrubench without it", "[~] build, vet, tests"))
	r.says("", bash("gofmt -l . ; go build ./... && go vet ./..."), bash("go test -timeout 60s -count=10 ./..."), bash("go run ./cmd/lrubench"), grep(`ttl|TTL|expires`, "."))
}
