package costs_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/fluxway/fluxway/internal/ids"
)

// TestMain lets a test start this binary again as a process to be killed, looks for goroutines left behind, and plays fewer histories than usual
// because each step is a durable commit; -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "child" {
		fmt.Fprintln(os.Stderr, child(os.Args[2], os.Args[3], ids.Workspace(os.Args[4])))
		os.Exit(1)
	}
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
