package agents

const (
	selectRows = `SELECT name, state, version, definition, updated_at FROM agents_agents WHERE workspace_id = ?`

	putRow = `
		INSERT INTO agents_agents (workspace_id, name, state, version, definition, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, name) DO UPDATE SET
			state = excluded.state, version = excluded.version, definition = excluded.definition, updated_at = excluded.updated_at
		WHERE agents_agents.version = excluded.version - 1`

	insertVersion = `
		INSERT INTO agents_versions (workspace_id, name, version, change, definition, user_id, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`

	selectVersions = `
		SELECT name, version, change, definition, user_id, at FROM agents_versions
		WHERE workspace_id = ? AND name = ? AND (? = 0 OR version < ?) ORDER BY version DESC LIMIT ?`

	selectVersion = `
		SELECT name, version, change, definition, user_id, at FROM agents_versions
		WHERE workspace_id = ? AND name = ? AND version = ?`
)
