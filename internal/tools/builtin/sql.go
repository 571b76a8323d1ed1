package builtin

const selectTodos = `
	SELECT text, state FROM tools_todos
	WHERE workspace_id = ? AND scope_id = ? ORDER BY position`

const deleteTodos = `DELETE FROM tools_todos WHERE workspace_id = ? AND scope_id = ?`

const insertTodo = `
	INSERT INTO tools_todos (workspace_id, scope_id, position, text, state, updated_at)
	VALUES (?, ?, ?, ?, ?, ?)`

const selectNote = `
	SELECT text FROM tools_scratch
	WHERE workspace_id = ? AND scope_id = ? AND name = ?`

const selectNotes = `
	SELECT name, length(text) AS size FROM tools_scratch
	WHERE workspace_id = ? AND scope_id = ? ORDER BY name`

const upsertNote = `
	INSERT INTO tools_scratch (workspace_id, scope_id, name, text, updated_at)
	VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (workspace_id, scope_id, name) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`

const deleteNote = `DELETE FROM tools_scratch WHERE workspace_id = ? AND scope_id = ? AND name = ?`

const pruneTodos = `
	DELETE FROM tools_todos WHERE (workspace_id, scope_id, position) IN (
		SELECT workspace_id, scope_id, position FROM tools_todos WHERE updated_at < ? LIMIT ?)`

const pruneNotes = `
	DELETE FROM tools_scratch WHERE (workspace_id, scope_id, name) IN (
		SELECT workspace_id, scope_id, name FROM tools_scratch WHERE updated_at < ? LIMIT ?)`
