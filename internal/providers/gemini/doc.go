// Package gemini speaks Google's generateContent protocol.
//
// In:    providers.Request; raw bodies to relay; texts to embed.
// Out:   providers.Stream; a call's thought signature is kept and given back; exact token counts; the list of models.
// Keeps: nothing. Says: nothing.
// Not here: Vertex AI's sign-in; Google's OpenAI-compatible door (use openai with its address).
package gemini
