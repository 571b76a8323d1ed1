package api_test

import (
	"encoding/base64"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestFilesAreServedAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	owner := identity.From(w.AdminContext)
	talk, err := w.Book.Create(t.Context(), conversations.Asker{Workspace: owner.Workspace, User: owner.User}, "assistant", "Pictures")
	if err != nil {
		t.Fatal(err)
	}
	pixel, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		says, content, kind, how string
	}{
		"a picture":                  {"image/png", string(pixel), "image/png", `inline; filename=shot.png`},
		"a picture that says little": {"", string(pixel), "image/png", `inline; filename=shot.png`},
		"a drawing with a script":    {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "application/octet-stream", `attachment; filename=shot.svg`},
		"a page":                     {"text/html", `<script>alert(1)</script>`, "application/octet-stream", "attachment; filename=shot.html"},
		"a page that says picture":   {"image/png", `<script>alert(1)</script>`, "application/octet-stream", "attachment; filename=shot.bin"},
	} {
		file, err := w.Book.Keep(t.Context(), conversations.Given{
			Workspace: owner.Workspace, User: owner.User, Conversation: talk.ID, Run: ids.New[ids.Run](), Name: "shot", MediaType: tt.says, Content: []byte(tt.content),
		})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/v1/attachments/" + string(file.ID) + "/content"
		got := w.Admin.Do(t, "GET", path, nil).Must(t, 200, nil)
		h := got.Header
		if string(got.Body) != tt.content || h.Get("Content-Type") != tt.kind || h.Get("Content-Disposition") != tt.how || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %q, %v", name, got.Body, h)
		}
		w.Operator.Do(t, "GET", path, nil).Fails(t, 404, "attachment_not_found") // of the same workspace, and not their conversation
		w.Foreign.Do(t, "GET", path, nil).Fails(t, 404, "attachment_not_found")
	}
}
