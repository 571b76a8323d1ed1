//go:build unix

package memory

import (
	"os/exec"
	"syscall"
)

// apart runs a command without a terminal it could ask for a password on.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
