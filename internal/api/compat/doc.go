// Package compat translates between the dialects of other vendors' APIs and our own words.
//
// In:    a body in a dialect (OpenAI Chat Completions and Responses, Anthropic Messages, Gemini); our Chunks and faults.
// Out:   a providers.Request; the dialect's events, whole answers and errors as bytes.
// Keeps: nothing. Says: nothing.
// Not here: HTTP, identity and money (api and the parts below it); the other direction, from our words to a vendor (the adapters of providers).
//
// A decoder ignores fields that it does not know, as the vendors do, refuses
// wrong types, and refuses what it knows and cannot translate rather than
// leaving it out. An encoder says that an answer is complete only when it was
// given a finish chunk.
//
// What a vendor seals (signatures of reasoning and of calls) is opaque to every
// client. One that belongs to another vendor than the door's is wrapped, so that
// it comes back with the name of its maker; see seal.go.
package compat
