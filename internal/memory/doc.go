// Package memory is what agents know: facts, graph, profile and knowledge.
//
// In:    things to remember, conversations to learn from, documents to read, questions to recall by.
// Out:   what was found, with its source and score.
// Keeps: memory_* tables.
// Says:  memory.fact_added, memory.fact_replaced, memory.fact_changed, memory.fact_forgotten, memory.user_forgotten,
// memory.source_added, memory.source_indexed, memory.source_removed, memory.progressed (droppable).
// Hears: identity and conversations through app, in the transaction that deletes someone or something.
// Not here: the conversation itself (conversations); models that embed (providers, memory/gte).
//
// Everything that can be found is one row of memory_texts in one space: a
// workspace, a user, an agent, a project and a kind as one word. A question
// names the spaces it may look into; the database looks into no other.
package memory
