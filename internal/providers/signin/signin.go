package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/wire"
)

// renewBefore is how early a token is renewed.
const renewBefore = 5 * time.Minute

// State of a sign-in.
type State string

// The states.
const (
	Missing State = "missing" // no file: not signed in with that CLI
	Ready   State = "ready"
	Expired State = "expired" // renewable or not, as Hint says
	Broken  State = "broken"  // the file cannot be read
)

// Status is what may be shown of a sign-in.
type Status struct {
	State   State     `json:"state"`
	Path    string    `json:"path"`
	Plan    string    `json:"plan,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	Hint    string    `json:"hint,omitempty"`
}

// file is a CLI's JSON file; fields we do not know survive a write.
type file struct{ path string }

func (f file) read(into any) (map[string]json.RawMessage, error) {
	body, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", f.path, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", f.path, err)
	}
	return all, nil
}

func (f file) write(all map[string]json.RawMessage) error {
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", f.path, err)
	}
	if err := renameio.WriteFile(f.path, body, 0o600); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, err)
	}
	return nil
}

// set changes fields of an object inside all.
func set(all map[string]json.RawMessage, object string, fields map[string]any) error {
	inner := map[string]json.RawMessage{}
	if raw := all[object]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &inner); err != nil {
			return err
		}
	}
	for k, v := range fields {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		inner[k] = b
	}
	b, err := json.Marshal(inner)
	if err != nil {
		return err
	}
	all[object] = b
	return nil
}

// problem turns a file's error into a fault that names the remedy.
func problem(vendor, login string, err error) error {
	code, text := providers.CodeAuth, "The sign-in of "+vendor+" cannot be used."
	if errors.Is(err, fs.ErrNotExist) {
		text = "There is no sign-in of " + vendor + " on this machine."
	}
	return fault.New(fault.Upstream, code, "%s", text).WithHint("Run `%s`, or use an API key.", login).Because(err)
}

func status(path string, login string, err error) Status {
	if errors.Is(err, fs.ErrNotExist) {
		return Status{State: Missing, Path: path, Hint: "Run `" + login + "` to sign in."}
	}
	return Status{State: Broken, Path: path, Hint: "The file cannot be read; run `" + login + "` again."}
}

// post sends JSON and reads JSON.
func post(ctx context.Context, client *http.Client, vendor, url string, in, out any) error {
	if client == nil {
		client = wire.NewHTTP()
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encoding a renewal: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("renewing a sign-in: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return providers.Unreachable(ctx, vendor, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return providers.Unreachable(ctx, vendor, err)
	}
	if resp.StatusCode == http.StatusBadRequest { // invalid_grant: the sign-in was spent or revoked
		resp.StatusCode = http.StatusUnauthorized
	}
	if resp.StatusCode/100 != 2 {
		return wire.Refusal(vendor, "", resp, answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return providers.Unreachable(ctx, vendor, fmt.Errorf("decoding a renewal: %w", err))
	}
	return nil
}
