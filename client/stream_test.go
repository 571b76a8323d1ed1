package client

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestStream(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "text/event-stream" {
			w.WriteHeader(http.StatusNotAcceptable)
			return
		}
		_, _ = io.WriteString(w, "retry: 2000\n\nid: 7\nevent: a.b\ndata: {\"x\":1}\n\n: still here\n\nevent: two\ndata: [1,\ndata: 2]\n\nevent: error\ndata: {\"error\":{\"code\":\"gone\",\"message\":\"It ended.\"}}\n\n")
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Stream(t.Context(), "POST", "/x", map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []Event{{ID: "7", Kind: "a.b", Data: []byte(`{"x":1}`)}, {Kind: "two", Data: []byte("[1,\n2]")}} {
		got, err := s.Next()
		if err != nil || got.ID != want.ID || got.Kind != want.Kind || string(got.Data) != string(want.Data) {
			t.Errorf("got %q %s %s (%v), want %q %s %s", got.ID, got.Kind, got.Data, err, want.ID, want.Kind, want.Data)
		}
	}
	var problem *Error
	if _, err := s.Next(); !errors.As(err, &problem) || problem.Code != "gone" {
		t.Errorf("the server's reason is %v", err)
	}
	if _, err := s.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}
