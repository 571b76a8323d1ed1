package api_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// An idle socket costs little: no buffers, a small stack. The bound holds for
// both ends, since the clients live in the same process.
func TestIdleSocketsAreSmall(t *testing.T) {
	const connections, bound = 500, 12 << 10
	w := apitest.New(t, storetest.SQLite(t), func(o *api.Options) { o.PerAddress.PerMinute, o.PerIdentity.PerMinute = -1, -1 })
	address := strings.TrimPrefix(w.URL, "http://")
	open := func() net.Conn {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", w.Admin.Key)
		answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 2048), nil)
		if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%v %v", answer, err)
		}
		return conn
	}
	conns := []net.Conn{open()}
	before := inUse()
	for range connections {
		conns = append(conns, open())
	}
	each := (inUse() - before) / connections
	t.Logf("%d bytes for each idle connection", each)
	if each > bound {
		t.Errorf("%d bytes for each idle connection, want at most %d", each, bound)
	}
	for _, c := range conns {
		_ = c.Close()
	}
}

func inUse() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
