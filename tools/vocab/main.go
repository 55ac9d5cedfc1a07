// Command vocab writes the vocabularies of package budget/tiktoken from
// tiktoken-go's offline loader, which carries OpenAI's published files.
//
//	go run ./vocab -out ../budget/tiktoken
//
// A file is a DEFLATE stream of: the number of tokens (4 bytes, little
// endian), the length of each token by rank (1 byte), and their bytes.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	loader "github.com/pkoukk/tiktoken-go-loader"
)

func main() {
	out := flag.String("out", "../budget/tiktoken", "the folder to write to")
	flag.Parse()
	for _, name := range []string{"o200k", "cl100k"} {
		data, err := vocabulary(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, name+".vocab"), data, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "vocab:", err)
			os.Exit(1)
		}
		fmt.Println(name, len(data), "bytes")
	}
}

func vocabulary(name string) ([]byte, error) {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe("https://openaipublic.blob.core.windows.net/encodings/" + name + "_base.tiktoken")
	if err != nil {
		return nil, err
	}
	tokens := make([]string, len(ranks))
	for token, rank := range ranks {
		if rank < 0 || rank >= len(tokens) || tokens[rank] != "" || len(token) == 0 || len(token) > 255 {
			return nil, fmt.Errorf("%s: token %q of rank %d is out of order", name, token, rank)
		}
		tokens[rank] = token
	}
	var raw bytes.Buffer
	_ = binary.Write(&raw, binary.LittleEndian, uint32(len(tokens)))
	for _, t := range tokens {
		raw.WriteByte(byte(len(t)))
	}
	for _, t := range tokens {
		raw.WriteString(t)
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw.Bytes()); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
