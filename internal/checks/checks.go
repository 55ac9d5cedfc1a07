// Package checks sizes the property tests of this module. Only tests import it.
package checks

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Set makes rapid check each property Number()/share times. It is for TestMain.
func Set(share int) {
	flag.Parse()
	n := max(1, Number()/share)
	if testing.Short() {
		n *= 5 // rapid divides by 5 then
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		panic(err) // the package's tests do not use rapid
	}
}

// Number returns how many transcripts a property is tried on: the variable
// CONDENSER_CHECKS, which the Makefile sets, else 1,000. Reading it within a
// test keeps go test from caching a result of another size.
func Number() int {
	n, err := strconv.Atoi(os.Getenv("CONDENSER_CHECKS"))
	if err != nil {
		return 1000
	}
	return n
}
