//go:build !unix

package mcp

import "os/exec"

func ownGroup(*exec.Cmd)      {}
func termGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone already
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func pathOf([]string) []string { return nil }
