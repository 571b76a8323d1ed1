package api_test

import (
	"net/http"
	"testing"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/conversations"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

func TestPresenceIsToldAndNotKept(t *testing.T) {
	t.Parallel()
	w := apitest.New(t, storetest.SQLite(t))
	var c conversations.Conversation
	w.Admin.Do(t, "POST", "/api/v1/conversations", `{"title":"Plan"}`).Must(t, http.StatusCreated, &c)
	path := "/api/v1/conversations/" + string(c.ID)
	p := dial(t, w, w.Admin)
	p.send(`{"op":"subscribe","channels":["conversations/` + string(c.ID) + `"]}`)
	p.expect("subscribed")

	w.Admin.Do(t, "POST", path+"/presence", `{"window":"w1","device":"phone","typing":true}`).Must(t, http.StatusNoContent, nil)
	if h := p.next(); h.Kind != "conversations.presence" || h.Cursor != 0 {
		t.Errorf("heard %+v", h)
	}
	w.Admin.Do(t, "POST", path+"/presence", `{}`).Fails(t, http.StatusBadRequest, "required")
	// Nobody appears in a conversation they may not see.
	w.Viewer.Do(t, "POST", path+"/presence", `{"window":"w2"}`).Fails(t, http.StatusNotFound, "conversation_not_found")
	w.Admin.Do(t, "PATCH", path, `{"visibility":"workspace"}`).Must(t, http.StatusOK, nil)
	w.Viewer.Do(t, "POST", path+"/presence", `{"window":"w2"}`).Must(t, http.StatusNoContent, nil)
	w.Foreign.Do(t, "POST", path+"/presence", `{"window":"w3"}`).Fails(t, http.StatusNotFound, "conversation_not_found")
}
