// Package anthropic speaks the Anthropic Messages protocol.
//
// In:    providers.Request; raw Messages bodies to relay.
// Out:   providers.Stream; thinking blocks keep their signatures across tool turns; exact token counts; the list of models.
// Keeps: nothing. Says: nothing.
// Not here: which account pays (providers.Accounts), prices (the catalogue).
package anthropic
