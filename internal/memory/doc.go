// Package memory is what agents know: facts, graph, profile and knowledge.
//
// In:    texts to remember, questions to recall by.
// Out:   what was found, with its source and score.
// Keeps: memory_* tables.
// Says:  nothing yet.
// Not here: the conversation itself (conversations); models that embed (providers, memory/gte).
package memory
