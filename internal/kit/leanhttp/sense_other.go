//go:build !unix

package leanhttp

import "net"

// sense is what a connection does below net.Conn: here, nothing.
type sense struct{ net.Conn }

func newSense(net.Conn) (*sense, error) { return nil, nil }

func (*sense) alive() bool { return true }

func (*sense) receive() (*intake, error) { return nil, nil }
