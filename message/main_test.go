package message_test

import (
	"os"
	"testing"

	"github.com/condenser-go/condenser/internal/checks"
)

func TestMain(m *testing.M) {
	checks.Set(1)
	os.Exit(m.Run())
}
