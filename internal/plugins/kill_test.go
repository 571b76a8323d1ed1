package plugins

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/postgres"
	"github.com/fluxway/fluxway/internal/store/sqlite"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// crashWord makes this test binary a program that manages a plugin until it is killed.
const crashWord = "manage-until-killed"

const crashed = ids.Workspace("ws_crashed")

// managerAt opens a manager on what an earlier process left behind.
func managerAt(ctx context.Context, engine, where, dir string) (*Manager, *store.DB, error) {
	open := sqlite.Open
	if engine == "postgres" {
		open = postgres.Open
	}
	e, err := open(where)
	if err != nil {
		return nil, nil, err
	}
	db, err := store.New(store.Options{Engine: e})
	if err != nil {
		return nil, nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, nil, err
	}
	opts, err := options(db, filepath.Join(dir, "data", "plugins"))
	if err != nil {
		return nil, nil, err
	}
	m, err := New(opts)
	if err != nil {
		return nil, nil, err
	}
	return m, db, m.Load(ctx)
}

// crashing installs, enables and removes a plugin for ever, and says what it begins.
func crashing(engine, where, dir string) error {
	ctx := context.Background()
	m, _, err := managerAt(ctx, engine, where, dir)
	if err != nil {
		return err
	}
	for {
		fmt.Println("install")
		if _, err := m.Install(ctx, crashed, filepath.Join(dir, "source"), Copy); err != nil {
			return err
		}
		fmt.Println("enable")
		p, err := m.Get(ctx, crashed, "crash")
		if err != nil {
			return err
		}
		if err := m.Enable(ctx, crashed, "usr_crashed", "crash", p.Digest); err != nil {
			return err
		}
		fmt.Println("remove")
		if err := m.Remove(ctx, crashed, "crash"); err != nil {
			return err
		}
	}
}

func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		dir := t.TempDir()
		engine, where := "sqlite", db.Engine().Path
		if where == "" {
			engine, where = "postgres", storetest.PostgresURL(t)
		}
		source := filepath.Join(dir, "source")
		write(t, source, ManifestFile, "name: crash\nversion: 1\ndescription: x\n")
		for i := range 30 {
			write(t, source, fmt.Sprintf("files/%d/%d", i%5, i), strings.Repeat("text ", 500))
		}
		whole, err := treeOf(source)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			killAt(t, engine, where, dir, 4+n) // in the middle of each kind of step
			m, db, err := managerAt(t.Context(), engine, where, dir)
			if err != nil {
				t.Fatal(err)
			}
			left(t, m, whole)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// killAt runs the program until it has begun so many steps, and kills it in the middle of the last.
func killAt(t *testing.T, engine, where, dir string, steps int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], crashWord, engine, where, dir)
	var trouble strings.Builder
	cmd.Stderr = &trouble
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range steps {
		if !lines.Scan() {
			t.Fatalf("the program ended by itself: %v %s", cmd.Wait(), trouble.String())
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

// left checks that the plugin is there whole or not at all, and that all can go on.
func left(t *testing.T, m *Manager, whole tree) {
	t.Helper()
	list, err := m.List(t.Context(), crashed)
	if err != nil || len(list) > 1 {
		t.Fatalf("after a kill: %+v, %v", list, err)
	}
	for _, p := range list {
		if p.Digest != whole.digest || p.State != StateEnabled && p.State != StateDisabled {
			t.Errorf("after a kill: %s with %d of %d files", p.State, p.Files, len(whole.files))
		}
		if err := m.Remove(t.Context(), crashed, p.Name); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Restore(t.Context(), crashed, "crash"); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(t.Context(), crashed, "crash"); err != nil {
		t.Fatal(err)
	}
}
