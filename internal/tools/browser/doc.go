// Package browser drives a real Chromium for agents: one process for all, one browser context with its own
// cookies, storage and way out for each run.
//
// In:    which run acts, and what it does: open an address, click, type, look, run a script, read.
// Out:   what is to be seen afterwards, with what happened on the way: dialogs, refusals, downloads.
// Keeps: profiles in a scratch folder, which is emptied when the browser ends.
// Says:  nothing.
// Not here: whether a call may run (guard); what the model reads (builtin).
//
// Nothing is started before it is needed, and all of it ends when nobody used it for a while. The browser is told
// what to do over a pair of pipes, so no port is open that others could use. Every request of a page, whatever made
// it, goes through a proxy in this process: it asks the policy of the workspace and dials with safenet, so a page
// reaches what a fetching tool would reach, under whatever name. Chromium looks up no names itself.
package browser
