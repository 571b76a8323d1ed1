// Package sandbox runs a program that nobody trusts: it sees the project folder and the system's
// programs, may write the project folder only, has no network unless it is given one, and cannot
// use more time, memory, processes or disk than allowed, or outlive the call.
//
// In:    a Job: a command, a folder, limits.
// Out:   its output and how it ended; and an Isolation that says what really holds on this machine.
// Keeps: nothing.
// Says:  nothing.
// Not here: whether the command may run (guard).
//
// On Linux the program is started through two stages of our own binary (see Main). The first is the init of new
// user, mount, process, network, IPC and host name namespaces: it makes everything read-only but the project,
// hides what is private, and reaps; when it ends, the kernel ends all that is left. The second gives up every
// capability, restricts itself with Landlock, seccomp and rlimits, and becomes the program. Where we may not make
// namespaces, bubblewrap does it in the place of the first stage, if it is there and may. Where nobody may, the
// second stage works alone, and the Isolation says what is missing then.
package sandbox
