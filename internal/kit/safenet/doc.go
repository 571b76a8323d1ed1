// Package safenet talks to the outside and to nothing else: no loopback, no
// private network, no metadata service, unless somebody allowed it by name.
//
// In:    an address, often written by a model or a page it read.
// Out:   a connection, a transport or a client; or a fault that says why not.
// Keeps: nothing.
// Says:  nothing.
// Not here: which sites are wanted (guard); what to do with the answer (tools).
//
// A name is looked up once, every address it has is checked, and one of exactly those is dialled, so
// a name that answers differently the second time gains nothing. Each redirect is a new dial.
package safenet
