// Package wire is what the adapters share: sending a request with an account of the pool, mapping refusals, and turning events into chunks.
//
// In:    a Client (base URL, accounts, how to sign) and an encoded body.
// Out:   an accepted response; a providers.Stream over a Decoder; refusals as faults.
// Keeps: nothing. Says: nothing.
// Not here: what the bytes mean (each adapter's Decoder).
package wire
