package api

// A row with status 0 belongs to a request that is still being worked on, or
// was cut off.
const (
	claimKey = `
	INSERT INTO api_idempotency (id, workspace_id, fingerprint, status, created_at, lease_until)
	VALUES (?, ?, ?, 0, ?, ?)
	ON CONFLICT (id) DO UPDATE SET workspace_id = excluded.workspace_id, fingerprint = excluded.fingerprint, status = 0,
		answer = NULL, created_at = excluded.created_at, lease_until = excluded.lease_until
	WHERE api_idempotency.created_at < ?`

	selectKey = `SELECT fingerprint, status, answer, lease_until FROM api_idempotency WHERE id = ?`

	finishKey = `UPDATE api_idempotency SET status = ?, answer = ? WHERE id = ? AND created_at = ?`

	dropKey = `DELETE FROM api_idempotency WHERE id = ? AND status = 0 AND created_at = ?`

	dropOldKeys = `DELETE FROM api_idempotency WHERE created_at < ?`
)
