package command

import "testing"

// A project is one wherever it lies, also where others keep what may go at any time.
func TestAProjectInATemporaryPlaceIsAProject(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		dir := place + "/app"
		a, err := New(Options{FS: newTree(map[string]string{dir + "/notes/a.txt": "x", place + "/scratch/b.txt": "y"})})
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]Verdict{
			"rm -rf notes":                 Ask,
			"rm -rf " + dir:                Ask,
			"rm -rf " + place + "/scratch": Allow,
			"echo x > /dev/sda":            Refuse,
			"echo x > /dev/null":           Allow,
		} {
			got := a.Judge(tContext, Command{Text: text, Dir: dir})
			if got.Verdict != want && !(want == Ask && got.Verdict == Refuse) {
				t.Errorf("%s in %s: %s (%s), want %s", text, dir, got.Verdict, got.Rule, want)
			}
		}
	}
}
