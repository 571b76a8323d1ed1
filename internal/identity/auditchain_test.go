package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// Chains outlive releases: what is hashed must never change.
func TestLinkIsTheHashOfAJSONList(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain", `"quoted"`, `back\slash`, "<b>&amp;", "new\nline", "\x00", "\x7f", "é€😀", "\u2028", "bad \xff utf-8", `{"a":"b\"c"}`,
		strings.Repeat("long ", 1000)}
	for i, text := range texts {
		r := AuditRow{Workspace: "ws_1", Seq: int64(i), ID: "aud_1", At: time.UnixMicro(1763190000123456), Actor: text, ActorName: text, Via: ViaKey,
			Key: "key_1", Action: text, Resource: text, Result: OK, Note: text, Before: json.RawMessage(text), After: json.RawMessage(text), IP: "::1", Request: text}
		list, err := json.Marshal([]any{1, text, r.Workspace, r.Seq, r.ID, r.At.UnixMicro(), r.Actor, r.ActorName, r.Via, r.Key, r.Action, r.Resource,
			r.Result, r.Note, string(r.Before), string(r.After), r.IP, r.Request})
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(list)
		if got, want := r.link(text), hex.EncodeToString(sum[:]); got != want {
			t.Errorf("link of a row with %.20q = %s, want %s", text, got, want)
		}
	}
}

func TestRedactedJSON(t *testing.T) {
	t.Parallel()
	type named struct {
		Name  string `json:"name"`
		Apart string `json:"apart"`
		N     int64  `json:"n"`
	}
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"nothing", nil, ""},
		{"no secret", named{"a", "b", 9007199254740993}, `{"name":"a","apart":"b","n":9007199254740993}`},
		{"escapes are taken apart", named{"a \"b\"", "c", 1}, `{"apart":"c","n":1,"name":"a \"b\""}`},
		{"a secret behind an escape", named{"\"", "sk-abcdefghijklmnopqrstuvwxyz", 1}, `{"apart":"•••","n":1,"name":"\""}`},
		{"a secret in a text", []any{"sk-abcdefghijklmnopqrstuvwxyz", true, nil}, `["•••",true,null]`},
		{"a secret by its name", map[string]any{"password": "x"}, `{"password":"•••"}`},
		{"deep inside", map[string]any{"a": []any{map[string]any{"api_key": "x"}}}, `{"a":[{"api_key":"•••"}]}`},
		{"a name in a text is not a name", map[string]any{"field": "password"}, `{"field":"password"}`},
		{"too large", strings.Repeat("x", maxFacts), `{"too_large":16386}`},
	}
	for _, tt := range tests {
		if got, err := redactedJSON(tt.in); err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

// An index that no query uses is paid for by every mutation.
func TestTheHistoryOfOneThingIsFoundByItsIndex(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	for _, statement := range []string{selectAuditOfDown, selectAuditOfUp} {
		_, args := AuditQuery{Resource: "keys/key_1"}.sql("", "", ids.Workspace("ws_1"))
		plan := storetest.Plan(t, db, statement, append(args, 1, 1)...)
		if len(plan) != 2 || !strings.Contains(plan[0], "USING COVERING INDEX identity_audit_resource (workspace_id=? AND resource=? AND seq") {
			t.Errorf("plan %q", plan)
		}
	}
}
