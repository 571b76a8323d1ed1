package store

const (
	insertBody = `
		INSERT INTO store_bodies (id, workspace_id, kind, media_type, encoding, size, sha256, content, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	describeBody = `
		SELECT id, workspace_id, kind, media_type, size, sha256, created_at, expires_at
		FROM store_bodies WHERE workspace_id = ? AND id = ?`

	selectBody = `
		SELECT id, workspace_id, kind, media_type, size, sha256, created_at, expires_at, encoding, content
		FROM store_bodies WHERE workspace_id = ? AND id = ?`

	deleteBody = `DELETE FROM store_bodies WHERE workspace_id = ? AND id = ?`

	pruneBodies = `
		DELETE FROM store_bodies WHERE id IN (SELECT id FROM store_bodies WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`
)
