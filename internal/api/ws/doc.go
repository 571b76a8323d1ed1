// Package ws is the server side of RFC 6455, made for many idle connections.
//
// In:    an HTTP request that wants to become a WebSocket.
// Out:   whole messages, one at a time; writes of ready-made frames that never wait.
// Keeps: per connection a few hundred bytes: buffers exist only while a message is being read.
// Says:  nothing.
// Not here: what the messages mean (api); the frames of events and who gets them (events).
//
// Extensions are not offered: frames of events are encoded once and shared by
// all connections, which compression per connection would undo.
package ws
