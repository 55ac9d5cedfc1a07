package message

import (
	"bytes"
	"image"
	_ "image/gif" // the formats every provider takes, beside WebP
	_ "image/jpeg"
	_ "image/png"
)

// Size returns the picture's width and height in pixels, read from its header.
// ok is false for a URL and for a format it does not know.
func (m *Image) Size() (width, height int, ok bool) {
	c, _, err := image.DecodeConfig(bytes.NewReader(m.Data))
	return c.Width, c.Height, err == nil
}
