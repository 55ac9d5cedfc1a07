package main

import "time"

// wideSession is with a user who writes Chinese and Japanese, at times both in
// one message; the agent answers in the language of the question. File names
// and contents are in both as well.
var wideSession = session{
	name:      "wide",
	start:     time.Date(2026, 1, 19, 2, 10, 0, 0, time.UTC),
	unmetered: true,
	play: func(r *recorder) {
		r.seed("go.mod", "module example.com/report\n\ngo 1.25.0\n")
		r.seed("cmd/report/main.go", reportMain)
		r.seed("data/销售.csv", reportData)
		r.setup(`mkdir -p internal/tabwriter && cp "$(go env GOROOT)/src/text/tabwriter/tabwriter.go" internal/tabwriter/`)
		wideCause(r)
		wideWidth(r)
		wideKana(r)
		wideNumbers(r)
	},
}

func wideCause(r *recorder) {
	r.system(`You are a coding agent. The team works in Chinese and Japanese: answer in the language you are asked in. Tools: read, grep, ls, bash, write, edit, todo. Paths that begin with src/ are files of the Go standard library. Identifiers, comments and commit messages are in English.`)
	r.user("report 这个命令打印出来的表格，只要商品名里有中文或者日文就对不齐，纯英文的行没有问题。先帮我查清楚原因，这一步不要改代码。")
	r.says("我先运行一下，看看实际输出，再看代码。",
		bash("go run ./cmd/report"), read("cmd/report/main.go"), ls("internal/tabwriter"), read("data/销售.csv"))
	r.says("表格是 internal/tabwriter 排的，它是标准库 text/tabwriter 的副本。看看它怎么计算宽度。",
		grep(`utf8|width in runes|same width`, "internal/tabwriter"), bash(`diff "$(go env GOROOT)/src/text/tabwriter/tabwriter.go" internal/tabwriter/tabwriter.go && echo identical`).prints("identical"),
		read("internal/tabwriter/tabwriter.go"))
	r.says("原因查到了：\n\n" +
		"1. `updateWidth` 用 `utf8.RuneCount` 计算单元格宽度，也就是每个字符都算一列。文档里也写明了：“The Writer assumes that all Unicode code points have the same width”。\n" +
		"2. 汉字和全角假名在终端里占两列，所以每多一个全角字符，后面的列就往右偏一列。\n" +
		"3. 我们的副本和标准库完全相同，没有别的改动，所以问题只在宽度计算这一处。\n\n" +
		"代码没有动。")
}

func wideWidth(r *recorder) {
	r.user("明白了。internal/tabwriter 本来就是为了能改才复制过来的，可以改，但是必须保持对外的 API 不变。不要引入第三方依赖，golang.org/x/text 也不行，我们的构建机器不能联网。")
	r.says("好。标准库的 unicode 包里有各种文字的表，先看看够不够用。",
		todo("[~] 确认 unicode 包里有哪些表", "[ ] 写宽度函数和测试", "[ ] 替换 RuneCount", "[ ] 用真实数据检查"),
		bash("go doc unicode.In; go doc unicode.RangeTable"),
		grep(`^var _(Han|Hiragana|Katakana|Hangul) = `, "src/unicode/tables.go"))
	r.says("有汉字、平假名、片假名和谚文的表，所以我决定先按文字来判断：属于这四种文字的算两列，其余算一列。这样不用自己维护区间表。",
		write("internal/tabwriter/width.go", widthByScript),
		write("internal/tabwriter/width_test.go", widthTest),
		edit("internal/tabwriter/tabwriter.go", "b.cell.width += utf8.RuneCount(b.buf[b.pos:])", "b.cell.width += textWidth(b.buf[b.pos:])"),
		bash("gofmt -l . ; go vet ./... && go test ./internal/tabwriter").fails().prints("utf8"))
	r.says("RuneCount 是 utf8 包的唯一一处使用，去掉这个 import。",
		edit("internal/tabwriter/tabwriter.go", "\t\"io\"\n\t\"unicode/utf8\"\n", "\t\"io\"\n"),
		bash("gofmt -l . ; go vet ./... && go test -v ./internal/tabwriter && go run ./cmd/report").prints("ok"))
	r.says("中文行已经对齐了。",
		todo("[x] 确认 unicode 包里有哪些表", "[x] 写宽度函数和测试", "[x] 替换 RuneCount", "[~] 用真实数据检查"))
	r.says("汉字、平假名和全角片假名现在都按两列计算，测试通过。对外的 API 没有变，也没有新的依赖。日文的商品名请日本的同事再确认一下。")
}

func wideKana(r *recorder) {
	r.user("日本側の田中です。確認しました。半角カナの「ｱﾀﾞﾌﾟﾀ」の行だけ、列が左にずれています。それから「ケーブル」や「モニターアーム」のように長音記号がある行は、逆に右にずれます。直してください。テストも必ず追加してください。")
	r.says("ご確認ありがとうございます。まず、失敗するテストを書いて再現します。",
		edit("internal/tabwriter/width_test.go", "\t{\"USB hub\", 7},\n", "\t{\"USB hub\", 7},\n"+widthKanaCases),
		bash("go test ./internal/tabwriter").fails().prints("FAIL", "ｱﾀﾞﾌﾟﾀ"))
	r.says("再現できました。原因は二つあります。半角カナも unicode.Katakana に含まれるため、二桁と数えていました。長音記号「ー」（U+30FC）や全角の括弧は文字種としては Common なので、一桁と数えていました。表で確認します。",
		bash(`sed -n "$(grep -n '^var _Katakana ' "$(go env GOROOT)/src/unicode/tables.go" | cut -d: -f1),+20p" "$(go env GOROOT)/src/unicode/tables.go"`).prints("0xff66", "0x30fd"),
		grep(`0x30fc|0xff70`, "src/unicode/tables.go"))
	r.says("つまり、文字種（Script）では桁数は決まりません。Unicode の East Asian Width に合わせて、範囲で判定する方法に変えることに決めました。理由は、全角かどうかはブロックで決まり、範囲なら数行で済むためです。結合文字（濁点 U+3099 など）は零桁にします。",
		todo("[x] 确认 unicode 包里有哪些表", "[x] 写宽度函数和测试", "[x] 替换 RuneCount", "[~] 範囲で判定する（半角カナ、長音、全角括弧、結合文字）", "[ ] 用真实数据检查"),
		write("internal/tabwriter/width.go", widthByRange),
		bash("gofmt -l . ; go vet ./... && go test -v ./internal/tabwriter").fails().prints("FAIL", "か"))
	r.says("あと一つだけ失敗しています。U+3099 は平仮名のブロック（3041–33FF）の中にあるので、範囲の判定が先に当たって二桁になります。結合文字の判定を先にします。",
		edit("internal/tabwriter/width.go", widthRangeFirst, widthMarkFirst),
		bash("gofmt -l . ; go vet ./... && go test -v ./internal/tabwriter && go run ./cmd/report").prints("--- PASS", "ok"))
	r.says("直りました。半角カナは一桁（濁点・半濁点も一桁ずつ）、長音記号と全角括弧は二桁、結合用の濁点は零桁です。ご指摘の行はすべてテストに入っています。",
		todo("[x] 确认 unicode 包里有哪些表", "[x] 写宽度函数和测试", "[x] 替换 RuneCount", "[x] 範囲で判定する（半角カナ、長音、全角括弧、結合文字）", "[x] 用真实数据检查"))
	r.says("変更したのは internal/tabwriter/width.go とそのテストだけです。公開 API は変えていません。")
	r.user("田中さん、ありがとうございます。另外我还想问一下：带圈数字 ① 和制表符 ─ 这种在有的终端占一列、有的占两列，emoji 呢？你现在是怎么处理的？不用改，先说明就行。")
	r.says("让我用现在的函数实际算一下，而不是凭印象回答。",
		write("internal/tabwriter/probe_test.go", widthProbe),
		bash("go test -v -run Probe ./internal/tabwriter; rm internal/tabwriter/probe_test.go").prints("U+2460"))
	r.says("现在的处理方式：\n\n" +
		"- ①、─ 属于 East Asian Width 里的 Ambiguous，我按一列计算。原因是 UTF-8 环境下多数终端默认一列，只有设置了“宽字符”选项才是两列；程序无法知道终端的设置，所以选默认值。\n" +
		"- emoji（U+1F300 到 U+1FAFF）按两列计算。\n" +
		"- 由多个码位组成的 emoji（比如带肤色或者 ZWJ 的）会算多，每个码位各算一次。商品名里应该不会出现，所以没有处理，只是说明一下。")
}

func wideNumbers(r *recorder) {
	r.user("可以，就这样。换个事情：数量和单价两列要右对齐，表头也跟着右对齐。")
	r.says("先看看 tabwriter 的 AlignRight 是不是只能整张表一起用。",
		grep(`AlignRight`, "internal/tabwriter"))
	r.says("AlignRight 是整个 Writer 的选项，会把商品名也推到右边。我在写入之前给这两列补空格，名字仍然左对齐。补空格也要用显示宽度，所以 tabwriter 需要导出宽度函数……但是你说过 API 必须不变，那就放在 cmd/report 里：这两列只有数字和表头。",
		edit("cmd/report/main.go", "\tw := tabwriter.NewWriter(", "\talignRight(rows, 1)\n\talignRight(rows, 2)\n\tw := tabwriter.NewWriter("),
		write("cmd/report/align.go", reportAlign),
		bash("gofmt -l . ; go vet ./... && go run ./cmd/report").prints("数量"))
	r.says("数字对齐了，但是表头“数量”“单价”是全角字，我按字符数补空格，表头这一行会多出两列。这里的表头只有汉字，我直接按汉字两列来算。",
		edit("cmd/report/align.go", "max(widest, utf8.RuneCountInString(s))", "max(widest, columns(s))"),
		edit("cmd/report/align.go", "widest-utf8.RuneCountInString(s)", "widest-columns(s)"),
		edit("cmd/report/align.go", "\t\"strings\"\n\t\"unicode/utf8\"\n)\n", "\t\"strings\"\n\t\"unicode\"\n)\n"),
		edit("cmd/report/align.go", "// alignRight", reportColumns+"\n// alignRight"),
		bash("gofmt -l . ; go vet ./... && go test ./... && go run ./cmd/report").prints("ok"))
	r.says("现在表头和数字都右对齐，名字左对齐，测试全部通过。")
	r.user("すみません、田中です。やはり「単価」の列は小数点の位置で揃えてほしいです。98.00 と 6.5 が混ざると読みにくいので。データは変えないでください。表示だけでお願いします。")
	r.says("データにはそのままの値を残し、表示のときだけ小数点以下を二桁に揃えます。右揃えなので、桁数が同じなら小数点の位置も揃います。数値として読めない値はそのまま表示します。",
		edit("cmd/report/main.go", "\talignRight(rows, 1)\n", "\ttwoDecimals(rows, 2)\n\talignRight(rows, 1)\n"),
		write("cmd/report/decimals.go", reportDecimals),
		bash("gofmt -l . ; go vet ./... && go run ./cmd/report && grep -n ケーブル data/销售.csv").prints("6.50"))
	r.says("単価は小数点の位置で揃いました。data/销售.csv は変更していません（6.5 はファイルの中では 6.5 のままです）。")
	r.user("很好，谢谢。最後に、今日の変更点を日本語で三行にまとめてください。中文也写一份，两份内容要一致。")
}
