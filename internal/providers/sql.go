package providers

const (
	accountColumns = `id, workspace_id, provider, name, kind, position, disabled, created_at, updated_at`

	insertAccount = `
	INSERT INTO providers_accounts (` + accountColumns + `, secret)
	SELECT ?, ?, ?, ?, ?, COALESCE(MAX(position), 0) + 1, ?, ?, ?, ? FROM providers_accounts WHERE workspace_id = ? AND provider = ?
	ON CONFLICT (workspace_id, provider, name) DO NOTHING`

	selectAccount = `SELECT ` + accountColumns + ` FROM providers_accounts WHERE id = ? AND workspace_id = ?`

	selectAccounts = `
	SELECT ` + accountColumns + ` FROM providers_accounts WHERE workspace_id = ? AND (? = '' OR provider = ?)
	ORDER BY provider, position, id`

	selectSealed = `
	SELECT ` + accountColumns + `, secret FROM providers_accounts WHERE workspace_id = ? AND provider = ? AND NOT disabled
	ORDER BY position, id`

	selectEnvelopes = `SELECT id, workspace_id, provider, secret FROM providers_accounts ORDER BY id`

	updateSecret = `UPDATE providers_accounts SET secret = ?, updated_at = ? WHERE id = ? AND workspace_id = ?`

	updateEnvelope = `UPDATE providers_accounts SET secret = ? WHERE id = ? AND secret = ?`

	updateDisabled = `UPDATE providers_accounts SET disabled = ?, updated_at = ? WHERE id = ? AND workspace_id = ?`

	deleteAccount = `DELETE FROM providers_accounts WHERE id = ? AND workspace_id = ?`
)
