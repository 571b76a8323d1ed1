package api_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/observe"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// The whole road of a typed route beside a bare handler that writes as many
// bytes, over a kept-alive connection; client and server share the CPU.
func BenchmarkRoute(b *testing.B) {
	w := apitest.New(b, storetest.SQLite(b), func(o *api.Options) { o.PerIdentity.PerMinute, o.PerAddress.PerMinute = 1e9, 1e9 })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	answer := w.Admin.Do(b, "GET", "/api/v1/agents", nil).Body
	bare := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})}
	go func() { _ = bare.Serve(listener) }()
	b.Cleanup(func() { _ = bare.Close() })
	for name, url := range map[string]string{"bare": "http://" + listener.Addr().String(), "typed": w.URL} {
		b.Run(name, func(b *testing.B) {
			c := w.Admin
			c.URL = url
			request, err := c.Request(b.Context(), "GET", "/api/v1/agents", nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				answer, err := http.DefaultTransport.RoundTrip(request)
				if err != nil || answer.StatusCode != 200 {
					b.Fatal(err, answer)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
}

// discard is the cheapest ResponseWriter.
type discard struct{ h http.Header }

func (d discard) Header() http.Header         { return d.h }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// nowhere takes spans and keeps none.
type nowhere struct{}

func (nowhere) Receive(context.Context, []observe.Finished) error { return nil }

// What our side of it costs, without the network, with spans on.
func BenchmarkRouteOwn(b *testing.B) {
	watch, err := observe.New(observe.Options{Log: observe.LogOptions{Writer: io.Discard}})
	if err != nil {
		b.Fatal(err)
	}
	if err := watch.Attach("nowhere", nowhere{}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- watch.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-stopped })
	w := apitest.New(b, storetest.SQLite(b), func(o *api.Options) {
		o.PerIdentity.PerMinute, o.PerAddress.PerMinute, o.Observe = 1e9, 1e9, watch
	})
	request, err := w.Admin.Request(b.Context(), "GET", "/api/v1/agents", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.RemoteAddr = "127.0.0.1:5555"
	h := w.Server.Handler()
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(discard{http.Header{}}, request)
	}
}
