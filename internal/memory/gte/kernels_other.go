//go:build !amd64 && !arm64

package gte

func available() []kernels { return []kernels{portable()} }
