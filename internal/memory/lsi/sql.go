package lsi

import (
	"github.com/fluxway/fluxway/internal/ids"
)

const (
	selectNewest = `SELECT coalesce(max(number), 0) AS number FROM memory_models`
	selectModels = `SELECT workspace_id, user_id, texts FROM memory_models WHERE number = ?`
	selectModel  = `SELECT body FROM memory_models WHERE name = ? AND workspace_id = ? AND user_id = ?`
	insertModel  = `
		INSERT INTO memory_models (name, workspace_id, user_id, number, texts, body, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name, workspace_id, user_id) DO UPDATE SET texts = excluded.texts, body = excluded.body, created_at = excluded.created_at`
	deleteOlder  = `DELETE FROM memory_models WHERE number < ?`
	deleteModels = `DELETE FROM memory_models WHERE workspace_id = ? AND (? = '' OR user_id = ?)`
)

// newest is the number of the newest models; 0: there are none.
type newest struct {
	Number int64 `db:"number"`
}

// row is a kept model without its body.
type row struct {
	Workspace ids.Workspace `db:"workspace_id"`
	User      ids.User      `db:"user_id"`
	Texts     int64         `db:"texts"`
}
