// Package tiktoken counts tokens exactly, as OpenAI's models see them. It is a
// package of its own so that nobody links its vocabularies (1.5 MB, and some 8 MB
// in memory once used) who does not ask.
//
// [Counter] is the budget.Counter to give to a pipeline:
//
//	e, _ := tiktoken.ForModel("gpt-4o")
//	p := condenser.Default(condenser.Deps{Card: card, Counter: tiktoken.Counter{Encoding: e}})
//
// The engine is this library's own: the encodings' patterns matched by hand, and
// the vocabularies in a table. It agrees with tiktoken-go, which is [Reference],
// on every text that was tried, and is some thirty times as fast; it takes linear
// time for whatever text, allocates nothing, and never touches a network.
//
// For models of other providers these counts are an estimate like any other:
// their vocabularies are not public. See budget.Calibrated.
package tiktoken
