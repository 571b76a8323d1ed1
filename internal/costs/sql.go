package costs

import (
	"fmt"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/store"
)

const insertRecord = `
	INSERT INTO costs_records (id, workspace_id, user_id, key_id, agent, run_id, conversation_id, project, workflow, door, model_asked, model, served,
		provider, account, attempt, unit, price, premium, input, cache_read, cache_write, cache_write_long, audio_input, image_input, output, reasoning,
		audio_output, image_output, estimated, latency, first_token, outcome, error_code, holds, process, prefix_print, prompt_print, at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, NULL, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, TRUE, 0, 0, 'open', '', ?, ?, ?, ?, ?)`

// wholeArgs is how many values of a row insertWhole takes.
const wholeArgs = 38

// maxWhole is how many rows one statement inserts at the most.
const maxWhole = 8

// wholeSizes are the numbers of rows that have a statement of their own.
var wholeSizes = [...]int{maxWhole, 2, 1}

// insertWhole inserts one of wholeSizes rows of calls that began and ended.
var insertWhole = func() map[int]string {
	row := `(` + strings.Repeat(`?, `, wholeArgs-4) + `'', ?, ?, ?, ?)`
	statements := make(map[int]string)
	for _, n := range wholeSizes {
		statements[n] = store.InsertRows + `costs_records (id, workspace_id, user_id, key_id, agent, run_id, conversation_id, project, workflow, door, model_asked, model, served,
			provider, account, attempt, unit, price, premium, input, cache_read, cache_write, cache_write_long, audio_input, image_input, output, reasoning,
			audio_output, image_output, estimated, latency, first_token, outcome, error_code, holds, process, prefix_print, prompt_print, at)
			VALUES ` + strings.TrimSuffix(strings.Repeat(row+", ", n), ", ")
	}
	return statements
}()

const settleColumns = `
	UPDATE costs_records SET served = ?, account = ?, unit = ?, price = ?, premium = ?, input = ?, cache_read = ?, cache_write = ?,
		cache_write_long = ?, audio_input = ?, image_input = ?, output = ?, reasoning = ?, audio_output = ?, image_output = ?, estimated = ?,
		latency = ?, first_token = ?, outcome = ?, error_code = ?
	WHERE id = ?`

const settleRecord = settleColumns + ` AND outcome = 'open'`

const correctRecord = settleColumns + ` AND error_code = '` + Abandoned + `'`

const noteProgress = `UPDATE costs_records SET output = ? WHERE id = ? AND outcome = 'open'`

// pretended finds the demonstration, whose price nobody is charged.
const pretended = `provider = 'demo'`

const recordColumns = `id, workspace_id, user_id, key_id, agent, run_id, conversation_id, project, workflow, door, model_asked, model, served,
	provider, account, attempt, unit, price, price IS NOT NULL AS priced, ` + pretended + ` AS pretend, premium, input, cache_read, cache_write, cache_write_long, audio_input, image_input,
	output, reasoning, audio_output, image_output, estimated, latency, first_token, outcome, error_code, holds, process, prefix_print, prompt_print, at`

const selectRecord = `SELECT ` + recordColumns + ` FROM costs_records WHERE id = ?`

const selectOwnRecord = `SELECT ` + recordColumns + ` FROM costs_records WHERE id = ? AND workspace_id = ?`

// selectForeign finds open calls of other processes, where there are no others.
const selectForeign = `
	SELECT ` + recordColumns + ` FROM costs_records WHERE outcome = 'open' AND process <> ? AND id > ? ORDER BY id LIMIT ?`

const selectDead = `
	SELECT ` + recordColumns + ` FROM costs_records
	WHERE outcome = 'open' AND process <> ? AND process NOT IN (SELECT id FROM costs_processes WHERE seen_at > ?) AND id > ?
	ORDER BY id LIMIT ?`

const beat = `
	INSERT INTO costs_processes (id, seen_at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`

const pruneProcesses = `
	DELETE FROM costs_processes WHERE id IN (SELECT id FROM costs_processes WHERE seen_at < ? ORDER BY seen_at LIMIT ?)`

const selectRunSpent = `
	SELECT coalesce(sum(price), 0) AS price, count(*) AS calls FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND run_id = ? AND outcome <> 'open'`

const budgetColumns = `id, workspace_id, name, scope, scope_id, period, zone, unit, amount, thresholds, at_limit, rollover, enabled, notify,
	created_at, updated_at`

const insertBudget = `INSERT INTO costs_budgets (` + budgetColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const updateBudget = `
	UPDATE costs_budgets SET name = ?, amount = ?, thresholds = ?, at_limit = ?, rollover = ?, enabled = ?, notify = ?, updated_at = ?
	WHERE id = ?`

const selectBudget = `SELECT ` + budgetColumns + ` FROM costs_budgets WHERE id = ? AND workspace_id = ?`

const selectBudgets = `SELECT ` + budgetColumns + ` FROM costs_budgets WHERE workspace_id = ? ORDER BY id`

const selectAllBudgets = `SELECT ` + budgetColumns + ` FROM costs_budgets ORDER BY id`

var deleteBudget = []string{
	`DELETE FROM costs_periods WHERE budget_id = ?`,
	`DELETE FROM costs_budgets WHERE id = ?`,
}

const selectVersion = `SELECT version FROM costs_versions WHERE id = 1`

const lockVersion = selectVersion + ` FOR SHARE`

const raiseVersion = `UPDATE costs_versions SET version = version + 1 WHERE id = 1`

const periodColumns = `budget_id, starts_at, workspace_id, ends_at, spent, reserved, carried, granted, calls, unpriced, blocked, warned`

const selectPeriod = `SELECT ` + periodColumns + ` FROM costs_periods WHERE budget_id = ? AND starts_at = ?`

const lockPeriod = selectPeriod + ` FOR UPDATE`

const insertPeriod = `
	INSERT INTO costs_periods (budget_id, starts_at, workspace_id, ends_at, spent, reserved, carried, granted, calls, unpriced, blocked, warned)
	VALUES (?, ?, ?, ?, ?, 0, ?, 0, ?, ?, 0, ?)
	ON CONFLICT (budget_id, starts_at) DO NOTHING`

const updatePeriod = `
	UPDATE costs_periods SET spent = ?, reserved = ?, granted = ?, calls = ?, unpriced = ?, blocked = ?, warned = ?
	WHERE budget_id = ? AND starts_at = ?`

// scopeColumns says how a record is matched by each scope; every one takes the
// scope's id three times, so that all have the same arguments.
var scopeColumns = map[Scope]string{
	ScopeWorkspace: `(? = ? OR ? = '')`,
	ScopeUser:      `user_id IN (?, ?, ?)`,
	ScopeKey:       `key_id IN (?, ?, ?)`,
	ScopeAgent:     `agent IN (?, ?, ?)`,
	ScopeProject:   `project IN (?, ?, ?)`,
	ScopeWorkflow:  `workflow IN (?, ?, ?)`,
	ScopeModel:     `(model_asked = ? OR model = ? OR provider || '/' || model = ?)`,
}

// spentBy adds up what a scope has spent in a stretch of time, from single
// records and from the days that were rolled up.
var spentBy = func() map[Scope]string {
	statements := make(map[Scope]string, len(scopeColumns))
	for scope, match := range scopeColumns {
		statements[scope] = fmt.Sprintf(`
			SELECT coalesce(sum(price), 0) AS price, coalesce(sum(premium), 0) AS premium, coalesce(sum(calls), 0) AS calls,
				coalesce(sum(unpriced), 0) AS unpriced
			FROM (
				SELECT price, premium, 1 AS calls, CASE WHEN price IS NULL AND unit = 'money' THEN 1 ELSE 0 END AS unpriced
				FROM costs_records WHERE workspace_id = ? AND at >= ? AND at < ? AND outcome <> 'open' AND %s
				UNION ALL
				SELECT price, premium, calls, unpriced
				FROM costs_days WHERE workspace_id = ? AND day >= ? AND day < ? AND %s) AS spent`, match, match)
	}
	return statements
}()

func scopeArgs(b *Budget, from, to time.Time) []any {
	args := []any{b.Workspace, from, to, b.ScopeID, b.ScopeID, b.ScopeID}
	return append(args, args...)
}

// oldRecords picks what is rolled up next: the same rows for both statements.
const oldRecords = `SELECT id FROM costs_records WHERE at < ? AND outcome <> 'open' ORDER BY at, id LIMIT ?`

const dayMicros = `86400000000`

const rollUp = `
	INSERT INTO costs_days (workspace_id, day, user_id, key_id, agent, project, workflow, door, model_asked, model, provider, account, unit, outcome,
		calls, unpriced, estimated, price, premium, tokens_in, cached_in, tokens_out, latency)
	SELECT workspace_id, at - at % ` + dayMicros + `, user_id, key_id, agent, project, workflow, door, model_asked, model, provider, account, unit, outcome,
		count(*), sum(CASE WHEN price IS NULL AND unit = 'money' THEN 1 ELSE 0 END), sum(CASE WHEN estimated THEN 1 ELSE 0 END),
		coalesce(sum(price), 0), sum(premium), sum(` + tokensIn + `), sum(cache_read), sum(` + tokensOut + `), sum(latency)
	FROM costs_records WHERE id IN (` + oldRecords + `)
	GROUP BY workspace_id, at - at % ` + dayMicros + `, user_id, key_id, agent, project, workflow, door, model_asked, model, provider, account, unit, outcome
	ON CONFLICT (workspace_id, day, user_id, key_id, agent, project, workflow, door, model_asked, model, provider, account, unit, outcome)
	DO UPDATE SET calls = costs_days.calls + excluded.calls, unpriced = costs_days.unpriced + excluded.unpriced,
		estimated = costs_days.estimated + excluded.estimated, price = costs_days.price + excluded.price,
		premium = costs_days.premium + excluded.premium, tokens_in = costs_days.tokens_in + excluded.tokens_in,
		cached_in = costs_days.cached_in + excluded.cached_in, tokens_out = costs_days.tokens_out + excluded.tokens_out,
		latency = costs_days.latency + excluded.latency`

const deleteRolled = `DELETE FROM costs_records WHERE id IN (` + oldRecords + `)`

const (
	tokensIn  = `input + cache_read + cache_write + cache_write_long + audio_input + image_input`
	tokensOut = `output + reasoning + audio_output + image_output`
)

var forget = []string{
	`DELETE FROM costs_records WHERE workspace_id = ?`,
	`DELETE FROM costs_days WHERE workspace_id = ?`,
	`DELETE FROM costs_periods WHERE workspace_id = ?`,
	`DELETE FROM costs_budgets WHERE workspace_id = ?`,
}
