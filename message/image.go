package message

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif" // the formats every provider takes, beside WebP
	_ "image/jpeg"
	_ "image/png"
)

// Size returns the picture's width and height in pixels, read from its header.
// ok is false for a URL and for a format it does not know: it knows PNG, JPEG,
// GIF and WebP.
func (m *Image) Size() (width, height int, ok bool) {
	if w, h, ok := webPSize(m.Data); ok {
		return w, h, true
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(m.Data))
	return c.Width, c.Height, err == nil
}

// webPSize reads the header of a WebP file (RFC 9649, sections 2.5 to 2.7), for
// which the standard library has no reader.
func webPSize(b []byte) (width, height int, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, false
	}
	switch data := b[20:]; string(b[12:16]) {
	case "VP8 ": // lossy: a key frame's start code, then two times 14 bits
		if data[3] != 0x9D || data[4] != 0x01 || data[5] != 0x2A {
			return 0, 0, false
		}
		return int(binary.LittleEndian.Uint16(data[6:]) & 0x3FFF), int(binary.LittleEndian.Uint16(data[8:]) & 0x3FFF), true
	case "VP8L": // lossless: a signature, then two times 14 bits less one
		if data[0] != 0x2F {
			return 0, 0, false
		}
		bits := binary.LittleEndian.Uint32(data[1:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1, true
	case "VP8X": // extended: two times 24 bits less one
		w := int(data[4]) | int(data[5])<<8 | int(data[6])<<16
		h := int(data[7]) | int(data[8])<<8 | int(data[9])<<16
		return w + 1, h + 1, true
	}
	return 0, 0, false
}
