package main

// The module of the session wide, and what the agent writes into it.

const reportMain = `// Command report prints the sales of a month as a table.
package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"example.com/report/internal/tabwriter"
)

func main() {
	f, err := os.Open("data/销售.csv")
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
}
`

const reportData = `商品,数量,单价,备注
USB hub,28,59.90,in stock
电源适配器,12,98.00,库存充足
ケーブル（1m）,340,6.5,在庫あり
ｱﾀﾞﾌﾟﾀ,5,45.00,廃番予定
モニターアーム,9,268.00,要確認
键盘（日本語配列）,17,129.9,到货中
ひらがなシール,1200,0.8,おまけ
`

const widthByScript = `package tabwriter

import "unicode"

// textWidth returns how many columns of a terminal text takes.
func textWidth(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return 2
	}
	return 1
}
`

const widthByRange = `package tabwriter

import "unicode"

// wide are the ranges of runes that take two columns, in order: the blocks
// whose East Asian Width is W or F. Ambiguous ones take one.
var wide = [][2]rune{
	{0x1100, 0x115F},   // Hangul Jamo
	{0x2E80, 0x303E},   // radicals, CJK punctuation
	{0x3041, 0x33FF},   // kana, bopomofo, enclosed CJK, CJK compatibility
	{0x3400, 0x4DBF},   // Han, extension A
	{0x4E00, 0x9FFF},   // Han
	{0xAC00, 0xD7A3},   // Hangul syllables
	{0xF900, 0xFAFF},   // Han, compatibility
	{0xFE30, 0xFE4F},   // vertical forms
	{0xFF01, 0xFF60},   // full-width ASCII and brackets; half-width kana follow
	{0xFFE0, 0xFFE6},   // full-width signs
	{0x1F300, 0x1FAFF}, // emoji
	{0x20000, 0x3FFFD}, // Han, further extensions
}

// textWidth returns how many columns of a terminal text takes.
func textWidth(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
` + widthRangeFirst + `}
`

const widthRangeFirst = `	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	return 1
`

const widthMarkFirst = `	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
`

const widthTest = `package tabwriter

import (
	"bytes"
	"fmt"
	"testing"
)

var widths = []struct {
	text string
	want int
}{
	{"", 0},
	{"USB hub", 7},
	{"电源适配器", 10},
	{"ひらがな", 8},
	{"カタカナ", 8},
	{"café", 4},
	{"한국어", 6},
}

func TestTextWidth(t *testing.T) {
	for _, x := range widths {
		if got := textWidth([]byte(x.text)); got != x.want {
			t.Errorf("textWidth(%s) = %d, want %d", x.text, got, x.want)
		}
	}
}

func TestColumns(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, 0, 8, 1, '.', 0)
	fmt.Fprintln(w, "电源\t1")
	fmt.Fprintln(w, "hub\t2")
	w.Flush()
	if got, want := b.String(), "电源.1\nhub..2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
`

const widthKanaCases = `	{"ｱﾀﾞﾌﾟﾀ", 6},
	{"ケーブル", 8},
	{"モニターアーム", 14},
	{"（1m）", 6},
	{"「、。」", 8},
	{"か\u3099", 2}, // combining
	{"ｶﾞ", 2},
`

const widthProbe = `package tabwriter

import "testing"

func TestProbe(t *testing.T) {
	for _, s := range []string{"①", "─", "→", "★", "😀", "👍🏽", "㎏", "～", "…"} {
		for _, r := range s {
			t.Logf("%U %s: %d", r, string(r), runeWidth(r))
		}
	}
}
`

const reportAlign = `package main

import (
	"strings"
	"unicode/utf8"
)

// alignRight pads one column of rows on the left, so that all its cells are
// as wide as the widest.
func alignRight(rows [][]string, column int) {
	widest := 0
	for _, row := range rows {
		s := row[column]
		widest = max(widest, utf8.RuneCountInString(s))
	}
	for _, row := range rows {
		s := row[column]
		row[column] = strings.Repeat(" ", widest-utf8.RuneCountInString(s)) + s
	}
}
`

const reportColumns = `// columns returns how many columns of a terminal s takes, if it holds nothing
// but ASCII and Han.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}
`

const reportDecimals = `package main

import "strconv"

// twoDecimals writes the numbers of one column with two decimals. What is no
// number stays as it is.
func twoDecimals(rows [][]string, column int) {
	for _, row := range rows {
		if x, err := strconv.ParseFloat(row[column], 64); err == nil {
			row[column] = strconv.FormatFloat(x, 'f', 2, 64)
		}
	}
}
`
