//go:build !race

package command

// slowdown is what the race detector costs: it is off.
const slowdown = 1
