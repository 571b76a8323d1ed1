package costs_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain looks for goroutines left behind, and plays fewer histories than usual
// because each step is a durable commit; -rapid.checks asks for more.
func TestMain(m *testing.M) {
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
