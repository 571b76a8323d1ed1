package costs

const filters = `(? = '' OR user_id = ?) AND (? = '' OR key_id = ?) AND (? = '' OR agent = ?) AND (? = '' OR run_id = ?)
	AND (? = '' OR conversation_id = ?) AND (? = '' OR project = ?) AND (? = '' OR workflow = ?) AND (? = '' OR door = ?)
	AND (? = '' OR model = ?) AND (? = '' OR provider = ?) AND (? = '' OR outcome = ?)`

const listRecords = `
	SELECT ` + recordColumns + ` FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND at < ? AND (at < ? OR at = ? AND id < ?) AND ` + filters + `
	ORDER BY at DESC, id DESC LIMIT ?`

const exportRecords = `
	SELECT ` + recordColumns + ` FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND at < ? AND ` + filters + `
	ORDER BY at, id`

// facts are attempts that ended, and the days of those that were rolled up.
const facts = `
	(SELECT user_id, key_id, agent, run_id, conversation_id, project, workflow, door, model_asked, model, provider, account, outcome, at,
		1 AS calls, CASE WHEN price IS NULL AND unit = 'money' THEN 1 ELSE 0 END AS unpriced, CASE WHEN estimated THEN 1 ELSE 0 END AS estimated,
		coalesce(price, 0) AS price, premium, ` + tokensIn + ` AS tokens_in, cache_read AS cached_in, ` + tokensOut + ` AS tokens_out, latency
	FROM costs_records WHERE workspace_id = ? AND at >= ? AND at < ? AND outcome <> 'open'
	UNION ALL
	SELECT user_id, key_id, agent, '', '', project, workflow, door, model_asked, model, provider, account, outcome, day,
		calls, unpriced, estimated, price, premium, tokens_in, cached_in, tokens_out, latency
	FROM costs_days WHERE workspace_id = ? AND day >= ? AND day < ?) AS facts
	WHERE ` + filters

const sums = `coalesce(sum(calls), 0) AS calls, coalesce(sum(price), 0) AS price,
	coalesce(sum(CASE WHEN ` + pretended + ` THEN price ELSE 0 END), 0) AS pretend, coalesce(sum(unpriced), 0) AS unpriced,
	coalesce(sum(estimated), 0) AS estimated, coalesce(sum(premium), 0) AS premium, coalesce(sum(tokens_in), 0) AS tokens_in,
	coalesce(sum(cached_in), 0) AS cached_in, coalesce(sum(tokens_out), 0) AS tokens_out,
	coalesce(sum(CASE WHEN outcome = 'ok' THEN 0 ELSE calls END), 0) AS failed, CAST(coalesce(sum(latency) / sum(calls), 0) AS BIGINT) AS latency`

const selectTotals = `SELECT ` + sums + ` FROM ` + facts

// dimensions are what costs are broken down by, each with its column.
var dimensions = map[string]string{
	"user": "user_id", "key": "key_id", "agent": "agent", "run": "run_id", "conversation": "conversation_id", "project": "project",
	"workflow": "workflow", "door": "door", "asked": "model_asked", "model": "model", "provider": "provider", "account": "account", "outcome": "outcome",
}

var breakdowns = func() map[string]string {
	statements := make(map[string]string, len(dimensions))
	for name, column := range dimensions {
		statements[name] = `SELECT ` + column + ` AS name, ` + sums + ` FROM ` + facts + ` GROUP BY ` + column +
			` ORDER BY sum(price) DESC, sum(calls) DESC, ` + column + ` LIMIT ?`
	}
	return statements
}()

const selectTrend = `SELECT at - at % 900000000 AS at, ` + sums + ` FROM ` + facts + ` GROUP BY at - at % 900000000 ORDER BY 1`

// selectSmall adds up calls with short prompts and answers, by model.
const selectSmall = `
	SELECT provider, model, count(*) AS calls, sum(price) AS price, sum(` + tokensIn + `) AS tokens_in, sum(cache_read) AS cached_in, sum(` + tokensOut + `) AS tokens_out
	FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND outcome = 'ok' AND unit = 'money' AND price > 0 AND NOT ` + pretended + `
		AND ` + tokensIn + ` <= ? AND ` + tokensOut + ` <= ?
	GROUP BY provider, model ORDER BY sum(price) DESC LIMIT 20`

// selectRepeatedStarts finds prompts that begin alike and were hardly cached.
const selectRepeatedStarts = `
	SELECT provider, model, agent, count(*) AS calls, sum(price) AS price, min(` + tokensIn + `) AS shared, sum(` + tokensIn + `) AS tokens_in, sum(cache_read) AS cached_in
	FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND outcome = 'ok' AND unit = 'money' AND price > 0 AND NOT ` + pretended + ` AND prefix_print <> 0
	GROUP BY provider, model, agent, prefix_print
	HAVING count(*) >= ? AND min(` + tokensIn + `) >= ? AND sum(cache_read) * 5 < sum(` + tokensIn + `)
	ORDER BY sum(price) DESC LIMIT 20`

// selectTwins finds prompts that were sent more than once, apart from case,
// spaces and digits, as far as fingerprints tell.
const selectTwins = `
	SELECT provider, model, agent, count(*) AS calls, sum(price) AS price, min(price) AS least
	FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND outcome = 'ok' AND unit = 'money' AND price > 0 AND NOT ` + pretended + ` AND prompt_print <> 0
	GROUP BY provider, model, agent, prompt_print
	HAVING count(*) >= ?
	ORDER BY sum(price) DESC LIMIT 20`

// selectUnhurried adds up what nobody waits for.
const selectUnhurried = `
	SELECT provider, model, door AS agent, count(*) AS calls, sum(price) AS price
	FROM costs_records
	WHERE workspace_id = ? AND at >= ? AND outcome = 'ok' AND unit = 'money' AND price > 0 AND NOT ` + pretended + ` AND door IN ('workflow', 'schedule', 'job')
	GROUP BY provider, model, door ORDER BY sum(price) DESC LIMIT 20`

const selectInvoiced = `
	SELECT at - at % ` + dayMicros + ` AS day, model, count(*) AS calls, coalesce(sum(price), 0) AS price,
		sum(CASE WHEN price IS NULL THEN 1 ELSE 0 END) AS unpriced
	FROM costs_records
	WHERE workspace_id = ? AND provider = ? AND at >= ? AND at < ? AND outcome <> 'open' AND unit = 'money'
	GROUP BY at - at % ` + dayMicros + `, model`

const selectInvoicedDays = `
	SELECT day, model, sum(calls) AS calls, sum(price) AS price, sum(unpriced) AS unpriced
	FROM costs_days
	WHERE workspace_id = ? AND provider = ? AND day >= ? AND day < ? AND unit = 'money'
	GROUP BY day, model`
