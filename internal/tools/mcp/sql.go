package mcp

const (
	selectServers = `SELECT workspace_id, name, definition, secrets, created_at, updated_at FROM tools_servers ORDER BY workspace_id, name`

	insertServer = `
	INSERT INTO tools_servers (workspace_id, name, definition, secrets, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
	ON CONFLICT (workspace_id, name) DO NOTHING`

	updateServer = `UPDATE tools_servers SET definition = ?, secrets = ?, updated_at = ? WHERE workspace_id = ? AND name = ?`

	deleteServer = `DELETE FROM tools_servers WHERE workspace_id = ? AND name = ?`

	selectPins = `SELECT tool, pinned, offered, gone FROM tools_pins WHERE workspace_id = ? AND server = ? ORDER BY tool`

	upsertPin = `
	INSERT INTO tools_pins (workspace_id, server, tool, pinned, offered, gone, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (workspace_id, server, tool) DO UPDATE SET
	pinned = excluded.pinned, offered = excluded.offered, gone = excluded.gone, updated_at = excluded.updated_at`

	deletePin  = `DELETE FROM tools_pins WHERE workspace_id = ? AND server = ? AND tool = ?`
	deletePins = `DELETE FROM tools_pins WHERE workspace_id = ? AND server = ?`

	selectGrant = `SELECT sealed FROM tools_grants WHERE workspace_id = ? AND server = ? AND user_id = ?`

	upsertGrant = `
	INSERT INTO tools_grants (workspace_id, server, user_id, sealed, updated_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (workspace_id, server, user_id) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`

	deleteGrant  = `DELETE FROM tools_grants WHERE workspace_id = ? AND server = ? AND user_id = ?`
	deleteGrants = `DELETE FROM tools_grants WHERE workspace_id = ? AND server = ?`
)
