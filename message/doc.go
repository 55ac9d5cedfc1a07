// Package message is the vocabulary of the library: what a transcript is made
// of, how it is stored, which result answers which call, and what a provider
// would refuse.
//
// A transcript is a list of [Message], each a pointer to one of nine concrete
// types; a message's content is a list of [Block]. Messages are immutable once
// handed over. Three notions are kept apart: the pointer is the identity
// within one call, [Equal] compares everything but time, and [Fingerprint]
// names content across processes.
//
// # Stored form
//
// [Encode] and [Decode] read and write JSON Lines, one message a line:
//
//	{"kind":"system","content":[{"type":"text","text":"You are a coding agent."}]}
//	{"kind":"user","id":"m1","turn":0,"content":[{"type":"text","text":"fix the build"}]}
//	{"kind":"assistant","content":[{"type":"tool_call","id":"c1","name":"bash","input":{"command":"go build"}}]}
//	{"kind":"tool_result","tool_call_id":"c1","tool_name":"bash","is_error":false,"content":[{"type":"text","text":"ok"}]}
//	{"kind":"bash","command":"ls","output":"go.mod\n","exit_code":0}
//	{"kind":"custom","custom_type":"note","content":[]}
//	{"kind":"branch_summary","summary":"…","from_id":"m7"}
//	{"kind":"compaction_summary","summary":"…","tokens_before":81234}
//
// Every kind may have id, time (RFC 3339), turn (0-based), internal, pinned,
// atomic and origin; an assistant also model, stop_reason, error_message and
// usage {input, output, cache_read, cache_write}. Blocks are text, thinking
// {text, signature, redacted}, image {mime, data_base64 or url} and tool_call
// {id, name, input, signature}.
//
// Nothing is lost on the way: unknown kinds, blocks and fields come back as
// they were (a text block with fields of its own as an *Opaque that still
// counts as text), a string that is not UTF-8 travels as NAME_base64, and a
// call's input that is not compact JSON as the string input_raw. A member that
// is null counts as absent, but for input.
package message
