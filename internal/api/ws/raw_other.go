//go:build !linux

package ws

// prepare leaves writes to the connection, which may wait up to the write deadline.
func (c *Conn) prepare() {}
