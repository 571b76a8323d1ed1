package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func noOCR(what string) error {
	return fault.New(fault.Unsupported, "ocr_missing", "%s can be read with OCR only, and it is not installed here.", what).
		WithHint("Install tesseract (and poppler-utils for scanned PDFs), then index again.")
}

// readImage reads a picture of text.
func readImage(ctx context.Context, in Input, limits Limits) (Document, error) {
	doc := Document{Format: "image"}
	program, err := exec.LookPath("tesseract")
	if err != nil {
		return doc, noOCR("Text in a picture")
	}
	dir, path, err := onDisk(in, "picture")
	if err != nil {
		return doc, err
	}
	defer os.RemoveAll(dir)
	text, err := recognise(ctx, program, path, limits)
	if err != nil {
		return doc, err
	}
	doc.Sections = []Section{{Style: Prose, Text: text, Page: 1}}
	return doc, nil
}

// scan reads a PDF whose pages are pictures.
func scan(ctx context.Context, in Input, doc Document, limits Limits) (Document, error) {
	program, err := exec.LookPath("tesseract")
	pages, err2 := exec.LookPath("pdftoppm")
	if errors.Join(err, err2) != nil {
		return doc, noOCR("This PDF has no text, only pictures of it; they")
	}
	dir, path, err := onDisk(in, "scan.pdf")
	if err != nil {
		return doc, err
	}
	defer os.RemoveAll(dir)
	ctx2, cancel := context.WithTimeout(ctx, limits.OCR)
	defer cancel()
	if _, err := run(ctx2, pages, "-r", "150", "-png", "-l", fmt.Sprint(limits.Pages), path, filepath.Join(dir, "page")); err != nil {
		return doc, broken("PDF", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "page*.png"))
	if err != nil {
		return doc, err
	}
	slices.Sort(files)
	doc.Sections = nil
	for i, file := range files {
		text, err := recognise(ctx, program, file, limits)
		if err != nil {
			return doc, err
		}
		doc.Sections = append(doc.Sections, Section{Style: Prose, Text: text, Page: i + 1})
	}
	return doc, nil
}

func recognise(ctx context.Context, program, path string, limits Limits) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.OCR)
	defer cancel()
	text, err := run(ctx, program, path, "stdout")
	if err != nil {
		if ctx.Err() != nil {
			return "", fault.New(fault.Timeout, "ocr_slow", "Reading a page took longer than %s.", limits.OCR)
		}
		return "", fault.New(fault.Invalid, "ocr_failed", "The picture could not be read.").Because(err)
	}
	return text, nil
}

// run gives what a program prints, up to a bound.
func run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{&out, 8 << 20}, &bounded{&wrong, 4 << 10}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", filepath.Base(program), err, strings.TrimSpace(wrong.String()))
	}
	return out.String(), nil
}

// bounded drops what is beyond its room.
type bounded struct {
	to   *bytes.Buffer
	room int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.room)
	b.to.Write(p[:n])
	b.room -= n
	return len(p), nil
}

// onDisk copies a file for programs that want a name, into a folder of its own.
func onDisk(in Input, name string) (dir, path string, err error) {
	if dir, err = os.MkdirTemp("", "fluxway-read-"); err != nil {
		return "", "", err
	}
	path = filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = io.Copy(f, io.NewSectionReader(in.Data, 0, in.Size))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return "", "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, path, nil
}
