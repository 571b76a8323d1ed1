package plugins

const (
	selectRows = `
	SELECT workspace_id, name, enabled, agreed, settings, secrets, enabled_by, enabled_at, updated_at FROM plugins_plugins
	WHERE (? = '' OR workspace_id = ?) ORDER BY workspace_id, name`

	selectRow = `
	SELECT workspace_id, name, enabled, agreed, settings, secrets, enabled_by, enabled_at, updated_at FROM plugins_plugins
	WHERE workspace_id = ? AND name = ?`

	enable = `
	INSERT INTO plugins_plugins (workspace_id, name, enabled, agreed, settings, enabled_by, enabled_at, updated_at) VALUES (?, ?, TRUE, ?, '{}', ?, ?, ?)
	ON CONFLICT (workspace_id, name) DO UPDATE SET
	enabled = TRUE, agreed = excluded.agreed, enabled_by = excluded.enabled_by, enabled_at = excluded.enabled_at, updated_at = excluded.updated_at`

	disable = `UPDATE plugins_plugins SET enabled = FALSE, updated_at = ? WHERE workspace_id = ? AND name = ?`

	configure = `
	INSERT INTO plugins_plugins (workspace_id, name, enabled, agreed, settings, secrets, enabled_by, updated_at) VALUES (?, ?, FALSE, '{}', ?, ?, '', ?)
	ON CONFLICT (workspace_id, name) DO UPDATE SET settings = excluded.settings, secrets = excluded.secrets, updated_at = excluded.updated_at`

	elsewhere = `SELECT COUNT(*) FROM plugins_plugins WHERE name = ? AND workspace_id <> ? AND enabled`

	insertFailure = `
	INSERT INTO plugins_failures (workspace_id, plugin, at, hook, code, message, output, run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (workspace_id, plugin, at) DO NOTHING`

	// The last failures of a plugin say enough.
	trimFailures = `
	DELETE FROM plugins_failures WHERE workspace_id = ? AND plugin = ? AND at < (
	SELECT MIN(at) FROM (SELECT at FROM plugins_failures WHERE workspace_id = ? AND plugin = ? ORDER BY at DESC LIMIT ?) AS kept)`

	selectFailures = `
	SELECT at, hook, code, message, output, run_id FROM plugins_failures WHERE workspace_id = ? AND plugin = ? ORDER BY at DESC LIMIT ?`

	clearFailures = `DELETE FROM plugins_failures WHERE workspace_id = ? AND plugin = ?`

	forgetRow = `DELETE FROM plugins_plugins WHERE name = ? AND NOT enabled`
)
