package documents

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// archive is a zip file that is unpacked within bounds, whatever it says of itself.
type archive struct {
	files map[string]*zip.File
	room  int64 // bytes that may still be unpacked
}

var errBomb = fault.New(fault.TooLarge, "archive_too_large", "The file unpacks to far more than its size; it is not read.").
	WithHint("If it is a real document, save it anew, or in parts.")

// readZip finds out which format a zip file is.
func readZip(in Input, limits Limits) (Document, error) {
	z, err := zip.NewReader(in.Data, in.Size)
	if err != nil {
		return Document{Format: "zip"}, broken("a zip file", err)
	}
	if len(z.File) > limits.Entries {
		return Document{Format: "zip"}, errBomb
	}
	a := &archive{files: map[string]*zip.File{}, room: min(limits.Unpacked, 8<<20+in.Size*60)}
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			return Document{Format: "zip"}, fault.New(fault.Unsupported, "archive_locked", "The file is protected by a password.").WithHint("Save it without one.")
		}
		a.files[f.Name] = f
	}
	switch {
	case a.has("word/document.xml"):
		return a.docx()
	case a.has("xl/workbook.xml"):
		return a.xlsx(limits)
	case a.has("ppt/presentation.xml"):
		return a.pptx()
	case a.has("META-INF/container.xml"):
		return a.epub()
	case a.has("content.xml"):
		return a.odt()
	}
	return Document{Format: "zip"}, fault.New(fault.Unsupported, "archive", "This is an archive, not a document.").WithHint("Unpack it and add the folder.")
}

func (a *archive) has(name string) bool { return a.files[name] != nil }

// open gives one file, which counts against the room as it is read.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.files[name]
	if f == nil {
		return nil, broken("a document", fmt.Errorf("it has no %s", name))
	}
	r, err := f.Open()
	if err != nil {
		return nil, broken("a document", err)
	}
	return &metered{r, a}, nil
}

func (a *archive) text(name string) (string, error) {
	r, err := a.open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return "", unpackError(err)
	}
	return string(data), nil
}

// names lists files of a folder with an ending, in the order of their numbers.
func (a *archive) names(folder, ending string) []string {
	var list []string
	for name := range a.files {
		if path.Dir(name) == folder && strings.HasSuffix(name, ending) {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, func(x, y string) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	return list
}

// metered ends with errBomb when the room is used up.
type metered struct {
	io.ReadCloser
	a *archive
}

func (m *metered) Read(p []byte) (int, error) {
	if m.a.room <= 0 {
		return 0, errBomb
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), m.a.room)])
	m.a.room -= int64(n)
	return n, err
}

func unpackError(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return broken("a document", err)
}

// visit is called for each start (true) and end (false) of an element, and for text with an empty name.
type visit func(name string, start bool, attrs []xml.Attr, text string) error

// walk reads XML without building a tree.
func (a *archive) walk(name string, f visit) error {
	r, err := a.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	d := xml.NewDecoder(r)
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unpackError(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = f(t.Name.Local, true, t.Attr, "")
		case xml.EndElement:
			err = f(t.Name.Local, false, nil, "")
		case xml.CharData:
			err = f("", false, nil, string(t))
		}
		if err != nil {
			return err
		}
	}
}

func attr(list []xml.Attr, name string) string {
	for _, a := range list {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
