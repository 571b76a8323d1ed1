//go:build unix

package mcp

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// A group that is already gone is what was wanted.
func termGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func pathOf(environ []string) []string {
	for _, e := range environ {
		if list, ok := strings.CutPrefix(e, "PATH="); ok {
			return filepath.SplitList(list)
		}
	}
	return nil
}
