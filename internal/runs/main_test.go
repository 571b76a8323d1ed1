package runs_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/fluxway/fluxway/internal/ids"
)

// TestMain lets a test start this binary again as a process to be killed, and looks for goroutines left behind.
func TestMain(m *testing.M) {
	if len(os.Args) == 8 && os.Args[1] == "child" {
		asks, err := strconv.Atoi(os.Args[6])
		if err != nil {
			panic(err)
		}
		total, err := strconv.Atoi(os.Args[7])
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, child(os.Args[2], os.Args[3], ids.Workspace(os.Args[4]), os.Args[5], asks, total))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
