// Package copilot serves models through a GitHub Copilot subscription.
//
// In:    a GitHub sign-in by device code; providers.Request.
// Out:   providers.Stream by the chat protocol; usage also in premium requests, by the plan's multipliers.
// Keeps: the exchanged token, in memory. Says: nothing.
// Not here: keeping the GitHub token (the caller's credentials); the chat protocol itself (openai).
package copilot
