package config

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestListsOfFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := []string{filepath.Join(dir, "notes"), "/srv/docs"}
	for name, load := range map[string]func() (*Loaded, error){
		"file": func() (*Loaded, error) {
			return Check(Sources{Dir: dir, Env: []string{"HOME=" + dir}}, filepath.Join(dir, "fluxway.yaml"), []byte("memory:\n  folders: [notes, /srv/docs]\n"))
		},
		"variable": func() (*Loaded, error) {
			return Load(Sources{Dir: dir, Env: []string{"HOME=" + dir, "FLUXWAY_MEMORY_FOLDERS=notes,/srv/docs"}})
		},
	} {
		loaded, err := load()
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(loaded.Config.Memory.Folders, want) {
			t.Errorf("%s: %v, want %v", name, loaded.Config.Memory.Folders, want)
		}
	}
}
