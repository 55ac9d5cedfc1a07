package message_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/message"
)

// webP is the beginning of a WebP file with one chunk.
func webP(chunk, data string) []byte {
	return append([]byte("RIFF\x30\x00\x00\x00WEBP"+chunk+"\x0a\x00\x00\x00"+data), make([]byte, 16)...)
}

func TestImageSize(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))))
	for name, c := range map[string]struct {
		data []byte
		w, h int
		ok   bool
	}{
		"PNG":            {b.Bytes(), 30, 20, true},
		"lossy WebP":     {webP("VP8 ", "\x10\x20\x30\x9d\x01\x2a\x90\x01\x2c\x41"), 400, 300, true},
		"lossless WebP":  {webP("VP8L", "\x2f\x8f\xc1\x4a\x00"), 400, 300, true},
		"extended WebP":  {webP("VP8X", "\x10\x00\x00\x00\x8f\x01\x00\x2b\x01\x00"), 400, 300, true},
		"no start code":  {webP("VP8 ", "\x10\x20\x30\x00\x01\x2a\x90\x01\x2c\x41"), 0, 0, false},
		"no signature":   {webP("VP8L", "\x00\x8f\xc1\x4a\x00"), 0, 0, false},
		"another chunk":  {webP("ANIM", "\x00"), 0, 0, false},
		"a short header": {[]byte("RIFF\x30\x00\x00\x00WEBPVP8X"), 0, 0, false},
		"nothing":        {nil, 0, 0, false},
	} {
		w, h, ok := (&message.Image{Data: c.data}).Size()
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, []int{c.w, c.h}, []int{w, h}, name)
	}
}
