// Package memorytest checks that an index keeps the promises of memory.Index.
package memorytest
