// Package signin uses sign-ins that people already have: the Claude and Codex command lines' files, and OpenRouter's consent page.
//
// In:    the path of a CLI's credentials file, given by someone who opted in; a consent's code.
// Out:   token sources for providers.Accounts, renewed in time; a Status to show. Nothing here prints a token.
// Keeps: nothing of its own; a renewed token is written back to the CLI's file, because renewing spends the old one.
// Says:  nothing.
// Not here: which account is used when (providers.Accounts); GitHub (copilot).
package signin
