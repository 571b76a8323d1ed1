// Package api is the HTTP door: REST, SSE and WebSocket, and the web UI beside them.
//
// In:    requests; the parts that answer them, each through the few methods its routes use.
// Out:   JSON in one shape, faults in one shape, streams of events; OpenAPI, a permission matrix and TypeScript types made from the same route table.
// Keeps: api_idempotency: answers to repeat for a day, sealed with the caller's own key.
// Says:  nothing; every mutation reaches the audit through identity.
// Not here: what the answers mean (their parts); who someone is (identity); the log of events (events).
//
// A request walks: request id, security headers, mode, Host, rate limit of the
// address, Origin, identity, rate limit of the identity, permission, body,
// idempotency, binding, the typed function, the answer, audit, metrics, log.
// serve.go is that walk, top to bottom. To add a route, add a line to the table
// of its part's file.
package api
