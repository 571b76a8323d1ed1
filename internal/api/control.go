package api

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// workspaceHeader names the workspace of a command on this machine, by id or
// name; without it the oldest one is meant.
const workspaceHeader = "Fluxway-Workspace"

type controlKey struct{}

// controlled says whether a request came over the control socket: whoever can
// open it owns the data folder, and could change the database as well.
func controlled(r *http.Request) bool { return r.Context().Value(controlKey{}) != nil }

// identifyLocal makes the caller the oldest administrator of a workspace.
func (c *call) identifyLocal() error {
	id, err := c.s.directory.LocalIdentity(c.ctx, c.r.Header.Get(workspaceHeader))
	if err != nil {
		return err
	}
	c.caller = id
	return nil
}

// listenControl opens the socket for its owner only. One that a dead server
// left behind is removed; the data folder's lock says that none is alive.
func (s *Server) listenControl(ctx context.Context) (net.Listener, error) {
	if err := os.Remove(s.opts.Control); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", s.opts.Control)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "no_control_socket", "The socket %s cannot be opened.", s.opts.Control).
			WithHint("Its path may be too long, or the folder not writable; choose another data folder.").Because(err)
	}
	return l, os.Chmod(s.opts.Control, 0o600)
}

// control is the server behind the socket.
func (s *Server) control() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, controlKey{}, true)
		},
	}
}
