// Package gte is the embedder that ships with the binary: the sentence model
// gte-small with weights of eight bits, in plain Go with kernels for the
// processors people have.
//
// In:    texts, at most 512 word pieces of each.
// Out:   vectors of 384 numbers and length one; the same on every machine but for rounding.
// Keeps: nothing; the weights are inside the binary (weights/, made by scripts/model-weights)
// and are laid out in memory when the first text comes.
// Says:  nothing.
// Not here: other embedders (providers); where vectors are kept (memory/vectors, memory/pgvector).
//
// Weights and activations are both rounded to eight bits, so the large
// multiplications are of whole numbers and every kernel gives the same sums.
package gte
