package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command line as people and scripts do.
func TestScripts(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("FLUXWAY_HOME", filepath.Join(env.WorkDir, "data folder"))
			env.Setenv("FLUXWAY_LISTEN", "127.0.0.1:0")
			return nil
		},
	})
}
