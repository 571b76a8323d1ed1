// Package ollama speaks Ollama's own protocol: one JSON value a line.
//
// In:    providers.Request; raw /api/chat bodies to relay; texts to embed.
// Out:   providers.Stream; the models that are on the machine.
// Keeps: nothing. Says: nothing.
// Not here: Ollama's OpenAI-compatible door (use openai with its address).
package ollama
