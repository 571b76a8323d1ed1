package runs

import (
	"strings"

	"github.com/fluxway/fluxway/internal/store"
)

const columns = `id, workspace_id, conversation_id, parent_id, user_id, key_id, door, project, agent, model, state, question_id, answer_id, job_id,
	attempt, call_id, depth, title, task, result, origin_id, reason, replay_tools, signals, turns, calls, spent, needs,
	usage, error, created_at, started_at, first_token_at, finished_at`

const insertRun = `
	INSERT INTO runs_runs (id, workspace_id, conversation_id, parent_id, user_id, key_id, door, project, agent, model, state, question_id, answer_id,
		job_id, attempt, call_id, depth, title, task, origin_id, reason, replay_tools, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`

const selectRun = `SELECT ` + columns + ` FROM runs_runs WHERE id = ?`

const selectVisibleRun = `SELECT ` + columns + ` FROM runs_runs WHERE id = ? AND workspace_id = ?`

// A run that a person started; helpers are listed by their parent.
const listRuns = `
	SELECT ` + columns + ` FROM runs_runs
	WHERE workspace_id = ? AND (? = '' OR user_id = ?) AND parent_id = ? AND (? = '' OR state = ?) AND (? = '' OR conversation_id = ?) AND (? = '' OR agent = ?)
		AND (? = '' OR lower(title) LIKE ? ESCAPE '!') AND (CAST(? AS BIGINT) = 0 OR created_at >= ?) AND (CAST(? AS BIGINT) = 0 OR created_at < ?)
		AND (? = '' OR id < ?)
	ORDER BY id DESC LIMIT ?`

// The run that a person started, for which a helper works in the end.
const selectTop = `
	WITH RECURSIVE up (id, parent_id) AS (
		SELECT id, parent_id FROM runs_runs WHERE id = ?
		UNION ALL
		SELECT r.id, r.parent_id FROM up JOIN runs_runs r ON r.id = up.parent_id
	)
	SELECT ` + columns + ` FROM runs_runs WHERE id = (SELECT id FROM up WHERE parent_id = '')`

// What works beside the conversation is not in its way.
const selectOpen = `
	SELECT ` + columns + ` FROM runs_runs
	WHERE conversation_id = ? AND workspace_id = ? AND parent_id = '' AND job_id <> '' AND state IN ('queued', 'running', 'waiting')
		AND reason NOT IN ('replay', 'fork', 'case')
	ORDER BY id DESC LIMIT 1`

// A run without a job waits for the one before it in its conversation.
const selectHeld = `
	SELECT ` + columns + ` FROM runs_runs
	WHERE conversation_id = ? AND parent_id = '' AND job_id = '' AND state = 'queued' ORDER BY id LIMIT 1`

const startRun = `
	UPDATE runs_runs SET state = ?, attempt = attempt + 1, started_at = ?, needs = NULL, journaled = 0 WHERE id = ? AND state = ? RETURNING attempt, signals`

// Only the attempt that works on a run writes its journal. That it changes nothing says that the run is another's, or
// that a person sent something.
const fenceRun = `
	UPDATE runs_runs SET turns = ?, calls = ?, spent = ?, usage = ?, first_token_at = COALESCE(first_token_at, ?)
	WHERE id = ? AND attempt = ? AND state = 'running' AND signals = ?`

// The same where this process alone works on runs, and knows of signals by itself.
const journalRun = `
	UPDATE runs_runs SET turns = ?, calls = ?, spent = ?, usage = ?, first_token_at = COALESCE(first_token_at, ?), journaled = ?
	WHERE id = ? AND attempt = ? AND state = 'running' AND journaled < ?`

const selectJournaled = `SELECT journaled FROM runs_runs WHERE id = ? AND attempt = ? AND state = 'running'`

const parkRun = `UPDATE runs_runs SET state = ?, needs = ?, spent = ? WHERE id = ? AND attempt = ? AND state = 'running' AND signals = ?`

const wakeRun = `UPDATE runs_runs SET state = ?, job_id = ?, signals = signals + 1 WHERE id = ? AND state = 'waiting'`

const signalRun = `UPDATE runs_runs SET signals = signals + 1 WHERE id = ? AND state IN ('queued', 'running', 'waiting') RETURNING signals`

const selectSignals = `SELECT signals FROM runs_runs WHERE id = ? AND attempt = ? AND state = 'running'`

const assignJob = `UPDATE runs_runs SET job_id = ?, task = '' WHERE id = ? AND state = 'queued' AND job_id = ''`

const endRun = `
	UPDATE runs_runs SET state = ?, usage = ?, error = ?, result = ?, turns = ?, calls = ?, spent = ?, needs = NULL,
		first_token_at = COALESCE(first_token_at, ?), finished_at = ?
	WHERE id = ? AND state = ? AND attempt = ? AND (CAST(? AS BIGINT) < 0 OR signals = ?)`

const selectHelper = `SELECT ` + columns + ` FROM runs_runs WHERE parent_id = ? AND parent_id <> '' AND call_id = ?`

const countHelpers = `SELECT count(*) FROM runs_runs WHERE parent_id = ? AND parent_id <> ''`

const selectHelpers = `SELECT ` + columns + ` FROM runs_runs WHERE parent_id = ? AND parent_id <> '' ORDER BY id`

const openHelpers = `SELECT ` + columns + ` FROM runs_runs WHERE parent_id = ? AND parent_id <> '' AND state IN ('queued', 'running', 'waiting') ORDER BY id`

const stepColumns = `run_id, seq, workspace_id, turn, kind, name, title, origin, call_id, state, safe, input, output, need, reply, approval, usage,
	started_at, first_at, finished_at`

const stepColumnCount = 20

// maxSteps is how many rows one statement inserts at the most.
const maxSteps = 8

// stepSizes are the numbers of rows that have a statement of their own.
var stepSizes = [...]int{maxSteps, 2, 1}

// insertSteps inserts one of stepSizes rows.
var insertSteps = func() map[int]string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", stepColumnCount), ", ") + ")"
	statements := make(map[int]string)
	for _, n := range stepSizes {
		statements[n] = store.InsertRows + `runs_steps (` + stepColumns + `) VALUES ` + strings.TrimSuffix(strings.Repeat(row+", ", n), ", ")
	}
	return statements
}()

const selectSteps = `SELECT ` + stepColumns + ` FROM runs_steps WHERE run_id = ? ORDER BY seq`

const listSteps = `SELECT ` + stepColumns + ` FROM runs_steps WHERE run_id = ? AND workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`

const updateStep = `
	UPDATE runs_steps SET state = ?, output = ?, need = ?, reply = NULL, approval = ?, started_at = ?, finished_at = ? WHERE run_id = ? AND seq = ?`

const closeQuestions = `
	UPDATE runs_steps SET state = 'finished', finished_at = ? WHERE run_id = ? AND kind IN ('approval', 'question') AND state = 'waiting'`

const selectReplies = `SELECT seq, reply FROM runs_steps WHERE run_id = ? AND state = 'waiting' AND reply IS NOT NULL`

const answerStep = `UPDATE runs_steps SET reply = ? WHERE run_id = ? AND call_id = ? AND state = 'waiting' AND reply IS NULL`

const insertInbox = `INSERT INTO runs_inbox (run_id, n, message_id, parts) VALUES (?, ?, ?, ?)`

const selectInbox = `SELECT n, message_id, parts FROM runs_inbox WHERE run_id = ? AND n > ? ORDER BY n`

const lastInbox = `SELECT COALESCE(max(message_id), '') FROM runs_inbox WHERE run_id = ? AND n > 0`

const pruneSteps = `
	DELETE FROM runs_steps WHERE (run_id, seq) IN (
		SELECT s.run_id, s.seq FROM runs_runs r JOIN runs_steps s ON s.run_id = r.id WHERE r.finished_at < ? LIMIT ?)`

// What a turn asked for and has no result of was never done by the new run.
const copySteps = `
	INSERT INTO runs_steps (` + stepColumns + `)
	SELECT ?, seq, workspace_id, turn, kind, name, title, origin, call_id, state, safe, input, output, need, reply, approval, usage,
		started_at, first_at, finished_at
	FROM runs_steps WHERE run_id = ? AND turn <= ? AND kind IN ('model', 'tool', 'helper', 'compaction', 'recall') AND state = 'finished'`
