package transcript_test

import (
	"fmt"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

func Example() {
	l := transcript.NewLog()
	if err := l.Append(condensertest.MustParse("u a(1) r1 a u a(2,3) r2 r3 a u")...); err != nil {
		fmt.Println(err)
	}

	v := l.View()
	digest := message.Derive(message.NewUser("what happened so far"), func(u *message.User) { u.Origin = "summarize" })
	edit := v.Replace(0, 4, digest)
	if err := l.Commit(transcript.Commit{ID: "one", Edits: []transcript.Edit{edit}}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(condensertest.Show(l.View().Messages()))
	fmt.Println(len(l.Messages()), "messages in the log")

	v = l.View()
	err := l.Commit(transcript.Commit{ID: "two", Edits: []transcript.Edit{v.Replace(3, 4)}}) // hides r2
	fmt.Println(err)

	_ = l.Revert("one")
	fmt.Println(condensertest.Show(l.View().Messages()))
	// Output:
	// D u a(2,3) r2 r3 a u
	// 10 messages in the log
	// transcript: commit two: refused: message 2: pairs: call "2" (read) has no result
	// u a(1) r1 a u a(2,3) r2 r3 a u
}

func ExampleView_Cuts() {
	v, _ := transcript.Fold(condensertest.MustParse("u a(1,2) r1 r2 u"))
	c := v.Cuts()
	fmt.Println(c.At(2), c.Floor(3), c.Ceil(3))
	// Output: false 1 4
}

func ExampleView_Repair() {
	v, _ := transcript.Fold(condensertest.MustParse("u a(1,2) u r1 a r9 u"))
	mended, _ := v.With(v.Repair()...)
	fmt.Println(condensertest.Show(mended.Messages()))
	// Output: u a(1,2) r1 r2!~ u a u
}

func ExampleLog_Merge() {
	l := transcript.NewLog()
	_ = l.Append(condensertest.MustParse("u a u a")...)

	snapshot := l.Snapshot() // goes to a background task
	_ = l.Append(condensertest.MustParse("u")...)
	_ = snapshot.Commit(transcript.Commit{Edits: []transcript.Edit{snapshot.View().Replace(0, 2, condensertest.MustParse("D")...)}})

	fmt.Println(l.Merge(snapshot), condensertest.Show(l.View().Messages()))
	// Output: <nil> D u a u
}
