// Package projects is the folders that agents work in, and what they were before agents changed them.
//
// In:    folders that people name; what a call is about to touch; requests to undo.
// Out:   projects; snapshots; previews of an undo, and the undo itself.
// Keeps: projects_projects, projects_snapshots, projects_changes; contents of files as blobs in the data folder.
// Says:  projects.created, projects.changed, projects.removed, projects.undone.
// Not here: whether a call may run (guard); running it (tools).
//
// A snapshot has two halves. Before a call, what it may touch is listed and the
// contents are kept, by their hash, so that what is there already costs a look.
// After it, the same places are listed again and the differences become rows. An
// undo goes from what those rows say is there now back to what was there before,
// and only if it is there now: what changed since is never written over.
package projects
