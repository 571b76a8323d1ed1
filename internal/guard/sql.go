package guard

import (
	"strings"

	"github.com/fluxway/fluxway/internal/store"
)

const (
	selectPolicy = `SELECT policy FROM guard_policies WHERE workspace_id = ?`
	upsertPolicy = `
		INSERT INTO guard_policies (workspace_id, policy, updated_by, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id) DO UPDATE SET policy = excluded.policy, updated_by = excluded.updated_by, updated_at = excluded.updated_at`
	deletePolicy = `DELETE FROM guard_policies WHERE workspace_id = ?`
)

const approvalColumns = `
	id, workspace_id, code, kind, state, hash, anywhere, runs_command, tool, args, command, folder, dir, agent, run_id, conversation_id, call_id, door, unattended,
	requested_by, rule, severity, reason, alternative, two_person, asked_at, deadline, answered_by, answered_via, answered_at, scope, words, used_at`

const (
	insertApproval = `
		INSERT INTO guard_approvals (` + approvalColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', NULL, '', '', NULL)
		ON CONFLICT DO NOTHING`
	selectApproval     = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE workspace_id = ? AND id = ?`
	selectNewest       = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE workspace_id = ? AND hash = ? ORDER BY id DESC LIMIT 1`
	selectApprovalCode = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE workspace_id = ? AND code = ? AND state = 'asked'`
	// An approved one comes before one that is still asked. One that reaches further than once is found in the
	// list; one that another run asked for is for that run.
	selectOpen = `
		SELECT ` + approvalColumns + ` FROM guard_approvals
		WHERE workspace_id = ? AND hash = ? AND state IN ('approved', 'asked') AND deadline > ?
		AND scope IN ('', 'once') AND (run_id = ? OR kind = 'exception') ORDER BY state, id DESC LIMIT 1`
	answerApproval = `
		UPDATE guard_approvals SET state = ?, answered_by = ?, answered_via = ?, answered_at = ?, scope = ?, words = ?, deadline = ?
		WHERE workspace_id = ? AND id = ? AND state = 'asked'`
	useApproval   = `UPDATE guard_approvals SET state = 'used', used_at = ? WHERE workspace_id = ? AND id = ? AND state = 'approved'`
	endApproval   = `UPDATE guard_approvals SET state = ?, words = ? WHERE id = ? AND state = ?`
	selectMoney   = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE workspace_id = ? AND kind = 'budget' AND state = 'asked' ORDER BY id`
	selectDue     = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE state IN ('asked', 'approved') AND deadline <= ? ORDER BY deadline LIMIT 200`
	selectNextDue = `SELECT COALESCE(MIN(deadline), 0) FROM guard_approvals WHERE state IN ('asked', 'approved')`
	selectOfRun   = `SELECT ` + approvalColumns + ` FROM guard_approvals WHERE run_id = ? AND state IN ('asked', 'approved') AND workspace_id = ?`
	listApprovals = `
		SELECT ` + approvalColumns + ` FROM guard_approvals
		WHERE workspace_id = ? AND (? = '' OR state = ?) AND (? = '' OR kind = ? OR kind = 'budget' AND ? = 'ask') AND (? = '' OR run_id = ?) AND (? = '' OR id < ?)
		ORDER BY id DESC LIMIT ?`
	pruneApprovals = `DELETE FROM guard_approvals WHERE id IN (SELECT id FROM guard_approvals WHERE asked_at < ? AND state NOT IN ('asked', 'approved') LIMIT ?)`
)

const allowedColumns = `id, workspace_id, hash, covers, scope, tool, shown, folder, agent, run_id, approval_id, note, created_by, created_at, expires_at`

const (
	insertAllowed = `INSERT INTO guard_allowed (` + allowedColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	selectAllowed = `
		SELECT ` + allowedColumns + ` FROM guard_allowed
		WHERE workspace_id = ? AND hash IN (?, ?, ?, ?, ?, ?, ?, ?) AND expires_at > ? AND (run_id = '' OR run_id = ?) LIMIT 8`
	listAllowed   = `SELECT ` + allowedColumns + ` FROM guard_allowed WHERE workspace_id = ? AND expires_at > ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`
	deleteAllowed = `DELETE FROM guard_allowed WHERE workspace_id = ? AND id = ?`
	pruneAllowed  = `DELETE FROM guard_allowed WHERE id IN (SELECT id FROM guard_allowed WHERE expires_at < ? LIMIT ?)`
)

const callColumns = `
	id, workspace_id, at, door, user_id, agent, run_id, conversation_id, turn, call_id, tool, origin, level, folder, args, args_size,
	verdict, rule, reason, ticket, approved_by, outcome, code, took, result_size, truncated, feedback, feedback_by, feedback_words`

const (
	// Who answered is found by the ticket, which is an approval's or an allowance's.
	approveCall = `
		UPDATE guard_calls SET approved_by = COALESCE(
			(SELECT answered_by FROM guard_approvals WHERE id = ticket), (SELECT created_by FROM guard_allowed WHERE id = ticket), '')
		WHERE workspace_id = ? AND id = ?`
	selectCall = `SELECT ` + callColumns + ` FROM guard_calls WHERE workspace_id = ? AND id = ?`
	callFilter = `
		WHERE workspace_id = ? AND at >= ? AND at < ? AND (? = '' OR verdict = ?) AND (? = '' OR tool = ?) AND (? = '' OR agent = ?)
		AND (? = '' OR user_id = ?) AND (? = '' OR run_id = ?) AND (? = '' OR conversation_id = ?) AND (? = '' OR rule = ?)
		AND (? = '' OR door = ?) AND (? = '' OR outcome = ?) AND (? = '' OR feedback = ?)`
	listCalls   = `SELECT ` + callColumns + ` FROM guard_calls` + callFilter + ` AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`
	exportCalls = `SELECT ` + callColumns + ` FROM guard_calls` + callFilter + ` ORDER BY id`
	countCalls  = `SELECT verdict, rule, COUNT(*) AS calls, COUNT(CASE WHEN feedback = 'wrong' THEN 1 END) AS wrong FROM guard_calls` + callFilter + ` GROUP BY verdict, rule ORDER BY calls DESC, rule LIMIT 500`
	setFeedback = `UPDATE guard_calls SET feedback = ?, feedback_by = ?, feedback_words = ? WHERE workspace_id = ? AND id = ?`
	// Ids rise with time, so what is old comes first.
	pruneCalls = `
		DELETE FROM guard_calls WHERE workspace_id = ? AND id IN (
			SELECT id FROM (SELECT id, at FROM guard_calls WHERE workspace_id = ? ORDER BY id LIMIT ?) AS oldest WHERE at < ?)`
	nextWorkspace = `SELECT coalesce(min(workspace_id), '') FROM guard_calls WHERE workspace_id > ?`
)

// callArgs is how many values of a row insertCalls takes.
const callArgs = 25

// maxCalls is how many rows one statement inserts at the most.
const maxCalls = 8

// callSizes are the numbers of rows that have a statement of their own.
var callSizes = [...]int{maxCalls, 2, 1}

// insertCalls inserts one of callSizes rows of calls that have none.
var insertCalls = callStatements(store.InsertRows, "")

// putCalls inserts as many, or notes how calls ended whose rows are there.
var putCalls = callStatements(`INSERT INTO `, `
	ON CONFLICT (workspace_id, id) DO UPDATE SET outcome = excluded.outcome, code = excluded.code, took = excluded.took,
		result_size = excluded.result_size, truncated = excluded.truncated`)

func callStatements(insert, conflict string) map[int]string {
	row := `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, '', '', '')`
	statements := make(map[int]string)
	for _, n := range callSizes {
		statements[n] = insert + `guard_calls (` + callColumns + `) VALUES ` + strings.TrimSuffix(strings.Repeat(row+", ", n), ", ") + conflict
	}
	return statements
}
