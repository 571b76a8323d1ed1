package runs

const caseColumns = `id, workspace_id, user_id, name, run_id, conversation_id, question_id, agent, model, project, title, expects, created_at`

const insertCase = `
	INSERT INTO runs_cases (id, workspace_id, user_id, name, run_id, conversation_id, question_id, agent, model, project, title, kept, expects, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const listCases = `
	SELECT ` + caseColumns + ` FROM runs_cases WHERE workspace_id = ? AND user_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`

const selectCase = `SELECT ` + caseColumns + ` FROM runs_cases WHERE id = ? AND workspace_id = ? AND user_id = ?`

const deleteCase = `DELETE FROM runs_cases WHERE id = ? AND workspace_id = ? AND user_id = ?`

const deleteTrials = `DELETE FROM runs_trials WHERE case_id = ?`

const insertTrial = `INSERT INTO runs_trials (run_id, case_id, model, verdict, created_at) VALUES (?, ?, ?, ?, ?)`

const endTrial = `UPDATE runs_trials SET verdict = ?, differences = ?, finished_at = ? WHERE run_id = ?`

const lastTrial = `
	SELECT run_id, case_id, model, verdict, differences, created_at, finished_at FROM runs_trials WHERE case_id = ? ORDER BY run_id DESC LIMIT 1`

const selectExpects = `SELECT c.expects FROM runs_trials t JOIN runs_cases c ON c.id = t.case_id WHERE t.run_id = ?`

const selectMemo = `SELECT c.kept FROM runs_trials t JOIN runs_cases c ON c.id = t.case_id WHERE t.run_id = ?`
