package lsi

const (
	selectNewest = `SELECT name, number, texts FROM memory_models ORDER BY number DESC LIMIT 1`
	selectModel  = `SELECT texts, body FROM memory_models WHERE name = ?`
	insertModel  = `INSERT INTO memory_models (name, number, texts, body, created_at) VALUES (?, ?, ?, ?, ?)`
	deleteOlder  = `DELETE FROM memory_models WHERE number < ?`
)
