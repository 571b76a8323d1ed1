package client

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

func handler(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/plain":
		http.Error(w, "gateway down", http.StatusBadGateway)
	case r.Header.Get("Authorization") != "Bearer fx_key" && r.Host != "localhost":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"code":"no_identity","message":"Who are you?","hint":"Send a key.","request_id":"req_1"}}`))
	default:
		_, _ = w.Write([]byte(`{"path":"` + r.URL.Path + `","type":"` + r.Header.Get("Content-Type") + `"}`))
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(handler))
	t.Cleanup(server.Close)
	var out struct{ Path, Type string }
	c, err := New(Options{URL: server.URL + "/", Key: "fx_key"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), "POST", "/api/v1/x", map[string]int{"a": 1}, &out); err != nil || out.Path != "/api/v1/x" || out.Type != "application/json" {
		t.Errorf("Do = %+v, %v", out, err)
	}
	var problem *Error
	if err := c.Do(t.Context(), "GET", "/plain", nil, nil); !errors.As(err, &problem) || problem.Status != 502 || problem.Code != "unexpected_answer" {
		t.Errorf("an answer that is not ours gives %v", err)
	}
	stranger, err := New(Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Do(t.Context(), "GET", "/x", nil, nil); !errors.As(err, &problem) || problem.Code != "no_identity" || problem.Error() != "Who are you? Send a key." {
		t.Errorf("a refusal gives %v", err)
	}
}

func TestSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(handler))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	c, err := New(Options{Socket: path})
	if err != nil {
		t.Fatal(err)
	}
	var out struct{ Path string }
	if err := c.Do(t.Context(), "GET", "/y", nil, &out); err != nil || out.Path != "/y" {
		t.Errorf("Do over the socket = %+v, %v", out, err)
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a client of nowhere was made")
	}
}
