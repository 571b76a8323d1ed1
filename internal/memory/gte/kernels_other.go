//go:build !amd64

package gte

func available() []kernels { return []kernels{portable()} }
