package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// site serves the built web UI out of the binary.
type site struct {
	files fs.FS
	tags  sync.Map // file -> its ETag header, worked out when first asked for
}

// kinds are fixed here: the system's own table differs from machine to machine.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".json": "application/json; charset=utf-8", ".map": "application/json; charset=utf-8",
	".webmanifest": "application/manifest+json; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon",
	".webp": "image/webp", ".woff2": "font/woff2", ".wasm": "application/wasm", ".txt": "text/plain; charset=utf-8",
}

const immutable = "public, max-age=31536000, immutable"

// encodings are the ready-made variants, best first.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// serveWeb answers with a file of the UI, or with its first page for a path
// that only the UI knows.
func (s *Server) serveWeb(c *call) {
	pageHeaders(c.w.Header())
	defer c.finish()
	defer c.rescue()
	if !s.hosts.allow(c.r.Host) {
		c.fail(wrongHost(c.r.Host))
		return
	}
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		c.w.Header().Set("Allow", "GET, HEAD")
		c.fail(fault.New(fault.NotAllowed, "method_not_allowed", "%s does not exist here.", cut(c.r.Method)).WithHint("Pages are read with GET; the API is under /api/v1."))
		return
	}
	c.w = tracked{c.w, c}
	name := strings.TrimPrefix(path.Clean(c.r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	if name == "assets" || strings.HasPrefix(name, "assets/") {
		c.w.Header().Set("Cache-Control", immutable)
	}
	found, err := s.site.serve(c.w, c.r, name)
	if err == nil && !found {
		found, err = s.fallback(c, name)
	}
	if err != nil {
		c.fail(err)
		return
	}
	if !found {
		c.w.Header()["Cache-Control"] = noCache
		c.fail(fault.New(fault.NotFound, "no_such_file", "There is no file /%s.", cut(name)).WithHint("Reload the page: the UI was updated."))
	}
}

// fallback is the first page, which finds its own way; a missing file stays missing.
func (s *Server) fallback(c *call, name string) (bool, error) {
	if strings.HasPrefix(name, "assets/") || path.Ext(name) != "" && path.Ext(name) != ".html" {
		return false, nil
	}
	found, err := s.site.serve(c.w, c.r, "index.html")
	if found || err != nil {
		return found, err
	}
	c.w.Header().Set("Content-Type", kinds[".html"])
	_, err = io.WriteString(c.w, unbuilt)
	return true, err
}

const unbuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fluxway</title>
<body style="font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem">
<h1>The server runs; its web UI is not built in</h1>
<p>Run <code>make web</code> and build again (<code>make run</code> does both).</p>
<p>The API works: its reference is at <a href="/docs">/docs</a>.</p>
</body></html>
`

// serve writes a file in the best encoding the caller takes.
func (s *site) serve(w http.ResponseWriter, r *http.Request, name string) (bool, error) {
	if s.files == nil || !fs.ValidPath(name) || strings.HasPrefix(path.Base(name), ".") {
		return false, nil
	}
	h := w.Header()
	for _, e := range encodings {
		if !accepts(r.Header["Accept-Encoding"], e.name) {
			continue
		}
		f, err := s.open(name + e.suffix)
		if err != nil || f == nil {
			if err != nil {
				return false, err
			}
			continue
		}
		h.Set("Content-Encoding", e.name)
		return true, s.write(w, r, name, name+e.suffix, f)
	}
	f, err := s.open(name)
	if err != nil || f == nil {
		return false, err
	}
	return true, s.write(w, r, name, name, f)
}

// open gives nil for what is not a file.
func (s *site) open(name string) (fs.File, error) {
	f, err := s.files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (s *site) write(w http.ResponseWriter, r *http.Request, name, variant string, f fs.File) error {
	defer f.Close()
	content, ok := f.(io.ReadSeeker)
	if !ok {
		return errors.New("api: files of the web UI cannot be read at any place")
	}
	h := w.Header()
	kind := kinds[path.Ext(name)]
	if kind == "" {
		kind = mime.TypeByExtension(path.Ext(name))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	tag, err := s.tag(variant, content)
	if err != nil {
		return err
	}
	h.Set("ETag", tag)
	http.ServeContent(w, r, "", time.Time{}, content)
	return nil
}

// tag hashes a file once.
func (s *site) tag(variant string, content io.ReadSeeker) (string, error) {
	if known, ok := s.tags.Load(variant); ok {
		return known.(string), nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	tag := `"` + hex.EncodeToString(h.Sum(nil)[:12]) + `"`
	s.tags.Store(variant, tag)
	return tag, nil
}

// accepts says whether Accept-Encoding names an encoding, and not with q=0.
func accepts(values []string, encoding string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
			if !strings.EqualFold(strings.TrimSpace(name), encoding) {
				continue
			}
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}
