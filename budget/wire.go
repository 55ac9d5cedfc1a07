package budget

import (
	"math"
	"unsafe"

	"github.com/condenser-go/condenser/message"
)

// TextCounter is the part of a Counter that prices texts.
type TextCounter interface{ TextTokens(s string) int }

// What a request carries around texts, in tokens: the turn's markers and role,
// and the envelope of a call or a result. Providers publish none of it for all
// their models; these are OpenAI's for chat messages, and about right elsewhere.
const (
	wireMessage = 4
	wireCall    = 4
)

// WireTokens prices a message as it is sent: its texts, thinking, calls with name
// and arguments, and results by c, its images by their size. It allocates nothing
// but for images.
func WireTokens(m message.Message, c TextCounter, images Images) int {
	if message.IsNil(m) {
		return 0
	}
	n := wireMessage
	switch m := m.(type) {
	case *message.BashExecution:
		return n + c.TextTokens(m.Command) + c.TextTokens(m.Output)
	case *message.BranchSummary:
		return n + c.TextTokens(m.Summary)
	case *message.CompactionSummary:
		return n + c.TextTokens(m.Summary)
	case *message.Unknown:
		return n + textTokens(c, m.Raw)
	case *message.ToolResult:
		n += wireCall
	case *message.Assistant:
		n += c.TextTokens(m.ErrorMessage)
	}
	for _, b := range message.Content(m) {
		switch b := b.(type) {
		case message.Text:
			n += c.TextTokens(string(b))
		case *message.Thinking:
			n += c.TextTokens(b.Text)
		case *message.Image:
			n += images.Tokens(b)
		case *message.ToolCall:
			n += wireCall + c.TextTokens(b.Name) + textTokens(c, b.Input)
		case *message.Opaque:
			n += textTokens(c, b.Raw)
		}
	}
	return n
}

// textTokens prices bytes as the text they are, without a copy: messages are
// immutable once handed over.
func textTokens(c TextCounter, raw []byte) int {
	return c.TextTokens(unsafe.String(unsafe.SliceData(raw), len(raw)))
}

// Images says by which provider's published rule pictures are priced.
type Images uint8

const (
	FlatImages      Images = iota // ImageTokens each: the window-budget document's
	OpenAIImages                  // 85, and 170 a tile of 512 pixels, fitted into 2,048 and to a shorter side of 768
	AnthropicImages               // width times height over 750, fitted to a longer side of 1,568
	GeminiImages                  // 258 a tile of 768 pixels, or for both sides up to 384
)

// Tokens returns what a picture costs; ImageTokens if its size is not known.
func (i Images) Tokens(m *message.Image) int {
	if i == FlatImages {
		return ImageTokens
	}
	width, height, ok := m.Size()
	if !ok || width <= 0 || height <= 0 {
		return ImageTokens
	}
	w, h := float64(width), float64(height)
	switch i {
	case OpenAIImages:
		w, h = fit(w, h, 2048/max(w, h))
		w, h = fit(w, h, 768/min(w, h))
		return 85 + 170*int(math.Ceil(w/512)*math.Ceil(h/512))
	case AnthropicImages:
		w, h = fit(w, h, 1568/max(w, h))
		return int(math.Ceil(w * h / 750))
	}
	if w <= 384 && h <= 384 {
		return 258
	}
	return 258 * int(math.Ceil(w/768)*math.Ceil(h/768))
}

// fit makes a picture smaller by a factor; one above 1 leaves it as it is.
func fit(w, h, factor float64) (float64, float64) {
	factor = min(factor, 1)
	return w * factor, h * factor
}
