// Package lsi finds out what words mean by the texts they stand in, for a binary that was built without a model.
//
// In:    the texts that memory holds, and texts to embed.
// Out:   vectors of length one; texts about the same lie close also where they share few words.
// Keeps: memory_models.
// Says:  nothing.
// Not here: when to learn anew (memory), the model with weights (memory/gte).
//
// This is latent semantic indexing: the words of a text, weighted by how rare they are, are projected onto the 128
// directions along which the texts of their owner differ most: those of a user, and those that are open to a workspace,
// each apart, so that what lies near to what tells nothing about the texts of others. The directions are found by a
// randomised singular value decomposition. Each time they are found anew they have a new name, so that vectors of two
// times never meet.
package lsi
