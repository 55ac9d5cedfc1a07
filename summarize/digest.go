package summarize

import (
	"strings"

	"github.com/condenser-go/condenser/message"
)

// The first line of a digest, from the window-budget document.
const (
	DigestHeader = "[session digest — older turns condensed]"
	BranchHeader = "[branch digest — archived from a path not taken]"
)

// Origin is the Origin of digests. It is how they are known again; a text that
// reads like one is just a text.
const Origin = "summarize"

// Header returns the first line of a digest of the scope.
func (s Scope) Header() string {
	if s == ScopeBranch {
		return BranchHeader
	}
	return DigestHeader
}

// newDigest returns the digest message: header, blank line, body.
func newDigest(scope Scope, body string) *message.User {
	u := message.NewUser(scope.Header() + "\n\n" + body)
	u.Origin = Origin
	return u
}

// isDigest reports whether m is a digest this package made.
func isDigest(m message.Message) bool { return m.Head().Origin == Origin }

// digestBody returns the text of a digest without its header.
func digestBody(m message.Message) string {
	return cutHeader(message.PlainText(m))
}

// cutHeader returns s without a digest's first line.
func cutHeader(s string) string {
	for _, header := range []string{DigestHeader, BranchHeader} {
		if rest, ok := strings.CutPrefix(s, header); ok {
			return strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(s)
}

// unwrap takes off what a model may put around its digest: a Markdown fence,
// and the header it saw on the one before.
func unwrap(reply string) string {
	first, rest, _ := strings.Cut(reply, "\n")
	switch first {
	case "```", "```markdown", "```md", "```text":
		if body, ok := strings.CutSuffix(rest, "\n```"); ok && !strings.Contains("\n"+body, "\n```") {
			reply = body
		}
	}
	return cutHeader(reply)
}
