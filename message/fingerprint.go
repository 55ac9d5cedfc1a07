package message

import "crypto/sha256"

// Fingerprint returns the SHA-256 of m's stored form without id, time and
// turn: the same content has the same fingerprint in every process. It is for
// recognising history across calls and stores; within one log a position is
// the identity.
func Fingerprint(m Message) [sha256.Size]byte {
	e := encoder{content: true}
	e.message(m)
	return sha256.Sum256(e.b)
}
