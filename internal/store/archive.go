package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// BackupSuffix ends the name of every archive.
const BackupSuffix = ".fluxway-backup"

const archiveFormat = 1

// Manifest is the first line of an archive: a zstd stream of JSON lines. After
// it, for each table, come a line with its name and a line with an array per
// row; the last line holds the counts and the SHA-256 of all lines before.
type Manifest struct {
	Format    int       `json:"fluxway_backup"`
	Schema    int64     `json:"schema"` // newest migration
	Shared    int64     `json:"shared"` // newest migration that both engines have
	Engine    string    `json:"engine"`
	CreatedAt time.Time `json:"created_at"`
	Tables    []Table   `json:"tables"`
}

type trailer struct {
	Rows   map[string]int64 `json:"rows"`
	SHA256 string           `json:"sha256"`
}

type tableLine struct {
	Table *string `json:"table"`
}

// archiveWriter writes lines and hashes them.
type archiveWriter struct {
	out  *zstd.Encoder
	buf  *bufio.Writer
	hash hash.Hash
}

func newArchiveWriter(w io.Writer) (*archiveWriter, error) {
	out, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	a := &archiveWriter{out: out, hash: sha256.New()}
	a.buf = bufio.NewWriterSize(io.MultiWriter(out, a.hash), 64<<10)
	return a, nil
}

func (a *archiveWriter) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.buf.Write(append(text, '\n'))
	return err
}

// finish writes the last line, which is not part of its own hash.
func (a *archiveWriter) finish(rows map[string]int64) error {
	if err := a.buf.Flush(); err != nil {
		return err
	}
	if err := a.line(trailer{rows, hex.EncodeToString(a.hash.Sum(nil))}); err != nil {
		return err
	}
	return errors.Join(a.buf.Flush(), a.out.Close())
}

// row writes one row; cells are as the driver gave them.
func (a *archiveWriter) row(columns []Column, cells []any) error {
	line := append(a.buf.AvailableBuffer(), '[')
	for i, cell := range cells {
		if i > 0 {
			line = append(line, ',')
		}
		var err error
		if line, err = appendCell(line, columns[i].Kind, cell); err != nil {
			return fmt.Errorf("column %s: %w", columns[i].Name, err)
		}
	}
	_, err := a.buf.Write(append(line, ']', '\n'))
	return err
}

// cellBytes is how bytes, and text that is not UTF-8, travel.
type cellBytes struct {
	Bytes *string `json:"b,omitempty"`
	Text  *string `json:"t,omitempty"`
}

func appendCell(line []byte, kind Kind, cell any) ([]byte, error) {
	switch v := cell.(type) {
	case nil:
		return append(line, "null"...), nil
	case int64:
		if kind == Bool {
			return strconv.AppendBool(line, v != 0), nil
		}
		return strconv.AppendInt(line, v, 10), nil
	case float64:
		text, err := json.Marshal(v)
		return append(line, text...), err
	case bool:
		return strconv.AppendBool(line, v), nil
	case []byte:
		if kind == Bytes {
			line = append(line, `{"b":"`...)
			line = base64.StdEncoding.AppendEncode(line, v)
			return append(line, `"}`...), nil
		}
		return appendText(line, string(v))
	case string:
		return appendText(line, v)
	}
	return nil, fmt.Errorf("a %T cannot be kept in a backup", cell)
}

func appendText(line []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		line = append(line, `{"t":"`...)
		line = base64.StdEncoding.AppendEncode(line, []byte(s))
		return append(line, `"}`...), nil
	}
	text, err := json.Marshal(s)
	return append(line, text...), err
}

// parseCell turns a cell back into what a column of this kind takes.
func parseCell(kind Kind, raw json.RawMessage) (any, error) {
	switch {
	case len(raw) == 0:
		return nil, errors.New("an empty cell")
	case string(raw) == "null":
		return nil, nil
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case raw[0] == '{':
		return parseBytes(raw)
	case raw[0] == 't' || raw[0] == 'f':
		if kind == Int {
			return map[byte]int64{'t': 1, 'f': 0}[raw[0]], nil
		}
		return raw[0] == 't', nil
	case kind == Float:
		return strconv.ParseFloat(string(raw), 64)
	case kind == Bool:
		return string(raw) != "0", nil
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(string(raw), 64)
}

func parseBytes(raw json.RawMessage) (any, error) {
	var c cellBytes
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	if c.Text != nil {
		s, err := base64.StdEncoding.DecodeString(*c.Text)
		return string(s), err
	}
	if c.Bytes == nil {
		return nil, errors.New("an unknown kind of cell")
	}
	return base64.StdEncoding.DecodeString(*c.Bytes)
}

// readArchive walks through an archive and checks it on the way: begin gets the
// manifest, row each row. What they did counts only if readArchive returns nil.
func readArchive(ctx context.Context, path string, begin func(Manifest) error, row func(table int, cells []json.RawMessage) error) (Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("opening the backup: %w", err)
	}
	defer f.Close()
	zr, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return Manifest{}, err
	}
	defer zr.Close()
	r := &archiveReader{path: path, in: bufio.NewReaderSize(zr, 64<<10), hash: sha256.New(), rows: make(map[string]int64)}
	if err := r.walk(ctx, begin, row); err != nil {
		return Manifest{}, err
	}
	return r.manifest, nil
}

type archiveReader struct {
	path     string
	in       *bufio.Reader
	hash     hash.Hash
	manifest Manifest
	rows     map[string]int64
	long     []byte // a line that did not fit the reader's buffer
}

func (r *archiveReader) walk(ctx context.Context, begin func(Manifest) error, row func(int, []json.RawMessage) error) error {
	line, err := r.next()
	if err != nil {
		return r.damaged("it cannot be read: %v", err)
	}
	if err := json.Unmarshal(line, &r.manifest); err != nil || r.manifest.Format == 0 {
		return r.damaged("its first line is not a manifest")
	}
	if r.manifest.Format > archiveFormat {
		return fault.New(fault.Invalid, "backup_newer", "%s was written by a newer version of Fluxway (format %d).", r.path, r.manifest.Format).
			WithHint("Restore it with that version.")
	}
	if err := begin(r.manifest); err != nil {
		return err
	}
	r.hash.Write(line)
	for table := -1; ; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		line, err := r.next()
		switch {
		case err != nil:
			return r.damaged("it ends too early: %v", err)
		case line[0] == '[':
			r.hash.Write(line)
			if err := r.row(line, table, row); err != nil {
				return err
			}
		case bytes.HasPrefix(line, []byte(`{"table":`)):
			r.hash.Write(line)
			if table++; table >= len(r.manifest.Tables) || !names(line, r.manifest.Tables[table].Name) {
				return r.damaged("its tables are out of order")
			}
		default:
			return r.end(line, table)
		}
	}
}

func names(line []byte, table string) bool {
	var t tableLine
	return json.Unmarshal(line, &t) == nil && t.Table != nil && *t.Table == table
}

func (r *archiveReader) row(line []byte, table int, row func(int, []json.RawMessage) error) error {
	var cells []json.RawMessage
	if err := json.Unmarshal(line, &cells); err != nil || table < 0 || len(cells) != len(r.manifest.Tables[table].Columns) {
		return r.damaged("a row does not fit its table")
	}
	r.rows[r.manifest.Tables[table].Name]++
	return row(table, cells)
}

func (r *archiveReader) end(line []byte, table int) error {
	var t trailer
	if err := json.Unmarshal(line, &t); err != nil || t.SHA256 == "" {
		return r.damaged("a line cannot be read")
	}
	if t.SHA256 != hex.EncodeToString(r.hash.Sum(nil)) {
		return r.damaged("its checksum differs")
	}
	if table != len(r.manifest.Tables)-1 {
		return r.damaged("tables are missing")
	}
	for _, table := range r.manifest.Tables {
		if r.rows[table.Name] != t.Rows[table.Name] {
			return r.damaged("%s has %d rows instead of %d", table.Name, r.rows[table.Name], t.Rows[table.Name])
		}
	}
	if _, err := r.next(); !errors.Is(err, io.EOF) {
		return r.damaged("it goes on after its end")
	}
	return nil
}

// next reads a line, which is valid until the next.
func (r *archiveReader) next() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return part, nil
		}
		r.long = append(r.long, part...)
		switch {
		case err == nil:
			return r.long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.long) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}

func (r *archiveReader) damaged(format string, args ...any) error {
	return fault.New(fault.Invalid, "backup_damaged", "%s is not a complete backup: %s.", r.path, fmt.Sprintf(format, args...)).
		WithHint("Take another backup; nothing was changed.")
}
