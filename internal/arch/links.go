package arch

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// link finds the targets of links and pictures in Markdown.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// checkLinks: a link from one of our pages to a file in the checkout leads somewhere.
func checkLinks(root fs.FS) ([]Violation, error) {
	c := &checker{}
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "changes/*.md"} {
		found, err := fs.Glob(root, pattern)
		if err != nil {
			return nil, err
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		text, err := fs.ReadFile(root, page)
		if err != nil {
			return nil, err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			if _, err := fs.Stat(root, path.Join(path.Dir(page), target)); err != nil {
				c.add(page, "the link to %s leads nowhere", m[1])
			}
		}
	}
	return c.found, nil
}
