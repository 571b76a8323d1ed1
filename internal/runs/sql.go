package runs

const columns = `id, workspace_id, conversation_id, parent_id, user_id, agent, model, state, question_id, answer_id, job_id, attempt,
	usage, error, created_at, started_at, first_token_at, finished_at`

const insertRun = `
	INSERT INTO runs_runs (id, workspace_id, conversation_id, parent_id, user_id, agent, model, state, question_id, answer_id, job_id, attempt, created_at)
	VALUES (?, ?, ?, '', ?, ?, ?, 'queued', ?, ?, ?, 0, ?)`

const selectRun = `SELECT ` + columns + ` FROM runs_runs WHERE id = ?`

const selectVisibleRun = `SELECT ` + columns + ` FROM runs_runs WHERE id = ? AND workspace_id = ?`

const listRuns = `
	SELECT ` + columns + ` FROM runs_runs
	WHERE workspace_id = ? AND user_id = ? AND (? = '' OR state = ?) AND (? = '' OR conversation_id = ?) AND (? = '' OR id < ?)
	ORDER BY id DESC LIMIT ?`

const startRun = `UPDATE runs_runs SET state = ?, attempt = attempt + 1, started_at = ?, first_token_at = NULL WHERE id = ? AND state = ? RETURNING attempt`

const endRun = `
	UPDATE runs_runs SET state = ?, usage = ?, error = ?, first_token_at = ?, finished_at = ? WHERE id = ? AND state = ? AND attempt = ?`
