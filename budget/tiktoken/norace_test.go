//go:build !race

package tiktoken_test

const race = false
