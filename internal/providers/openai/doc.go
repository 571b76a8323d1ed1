// Package openai speaks OpenAI's two protocols, Responses and Chat Completions, to OpenAI and to the many servers that copy them.
//
// In:    providers.Request; raw bodies of either dialect to relay; texts to embed, sound to transcribe, text to speak.
// Out:   providers.Stream and the sibling ports; Presets names the compatible servers with their addresses and quirks.
// Keeps: nothing. Says: nothing.
// Not here: GitHub Copilot's sign-in (copilot, which uses this package's chat protocol).
package openai
