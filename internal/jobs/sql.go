package jobs

const columns = `id, workspace_id, kind, state, priority, args, unique_key, schedule_id, attempt, max_attempts, run_at,
	lease_until, worker, cancelling, done, total, note, result, error, created_at, started_at, finished_at`

const insertJob = `
	INSERT INTO jobs_jobs (id, workspace_id, kind, state, priority, args, unique_key, schedule_id, attempt, max_attempts, run_at,
		worker, cancelling, done, total, note, error, created_at)
	VALUES (?, ?, ?, 'queued', ?, ?, ?, ?, 0, ?, ?, '', FALSE, 0, 0, '', '', ?)
	ON CONFLICT (workspace_id, kind, unique_key) WHERE unique_key <> '' AND state IN ('queued', 'running', 'paused') DO NOTHING`

const selectUnique = `
	SELECT id FROM jobs_jobs
	WHERE workspace_id = ? AND kind = ? AND unique_key = ? AND unique_key <> '' AND state IN ('queued', 'running', 'paused')`

// selectDue lists the kinds with waiting jobs and when the first of each is due.
const selectDue = `
	SELECT kind, min(run_at) AS run_at FROM jobs_jobs
	WHERE state = 'queued' AND kind NOT IN (SELECT kind FROM jobs_pauses)
	GROUP BY kind`

// claimJobs takes due jobs of one kind; %s is the engine's skip-locked suffix.
const claimJobs = `
	UPDATE jobs_jobs SET state = 'running', attempt = attempt + 1, worker = ?, lease_until = ?, started_at = ?,
		cancelling = FALSE, done = 0, total = 0, note = '', error = ''
	WHERE id IN (
		SELECT id FROM jobs_jobs WHERE state = 'queued' AND kind = ? AND run_at <= ?
		ORDER BY priority DESC, run_at, id LIMIT ?%s)
	RETURNING ` + columns

const renewLease = `
	UPDATE jobs_jobs SET lease_until = ? WHERE id = ? AND attempt = ? AND state = 'running' RETURNING cancelling`

const saveProgress = `
	UPDATE jobs_jobs SET done = ?, total = ?, note = ? WHERE id = ? AND attempt = ? AND state = 'running'`

// endAttempt moves a running job on; the attempt fences off workers that lost
// it, and is given back when the job was not to blame.
const endAttempt = `
	UPDATE jobs_jobs SET state = ?, attempt = attempt - ?, run_at = ?, result = ?, error = ?, finished_at = ?, lease_until = NULL, worker = ''
	WHERE id = ? AND attempt = ? AND state = 'running'`

const selectLost = `
	SELECT ` + columns + ` FROM jobs_jobs
	WHERE state = 'running' AND lease_until < ?`

const selectJob = `SELECT ` + columns + ` FROM jobs_jobs WHERE id = ? AND workspace_id = ?`

const listJobs = `
	SELECT ` + columns + ` FROM jobs_jobs
	WHERE workspace_id = ? AND (? = '' OR state = ?) AND (? = '' OR kind = ?) AND (? = '' OR id < ?)
	ORDER BY id DESC LIMIT ?`

const moveJob = `
	UPDATE jobs_jobs SET state = ?, run_at = ?, attempt = CASE WHEN ? THEN 0 ELSE attempt END, finished_at = ?, error = ?
	WHERE id = ? AND state = ?`

const askCancel = `UPDATE jobs_jobs SET cancelling = TRUE WHERE id = ? AND state = 'running'`

const pauseKind = `INSERT INTO jobs_pauses (kind, paused_at) VALUES (?, ?) ON CONFLICT (kind) DO NOTHING`

const resumeKind = `DELETE FROM jobs_pauses WHERE kind = ?`

const countKinds = `
	SELECT kind, state, count(*) AS n FROM jobs_jobs WHERE workspace_id = ? GROUP BY kind, state`

const selectPauses = `SELECT kind FROM jobs_pauses`

const pruneJobs = `
	DELETE FROM jobs_jobs WHERE id IN (SELECT id FROM jobs_jobs WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`

const scheduleColumns = `id, workspace_id, name, kind, args, cron, time_zone, enabled, next_at, last_at, last_job, created_at`

const insertSchedule = `
	INSERT INTO jobs_schedules (` + scheduleColumns + `)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, '', ?)`

const sameSchedule = `
	SELECT EXISTS (SELECT 1 FROM jobs_schedules WHERE workspace_id = ? AND name = ? AND kind = ? AND args = ? AND cron = ? AND time_zone = ? AND enabled = ?)`

const upsertSchedule = `
	INSERT INTO jobs_schedules (` + scheduleColumns + `)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, '', ?)
	ON CONFLICT (workspace_id, name) DO UPDATE SET kind = excluded.kind, args = excluded.args, cron = excluded.cron,
		time_zone = excluded.time_zone, enabled = excluded.enabled,
		next_at = CASE WHEN jobs_schedules.cron = excluded.cron AND jobs_schedules.time_zone = excluded.time_zone AND excluded.enabled
			THEN coalesce(jobs_schedules.next_at, excluded.next_at) ELSE excluded.next_at END`

const updateSchedule = `
	UPDATE jobs_schedules SET name = ?, args = ?, cron = ?, time_zone = ?, enabled = ?, next_at = ? WHERE id = ? AND workspace_id = ?`

const deleteSchedule = `DELETE FROM jobs_schedules WHERE id = ? AND workspace_id = ?`

const selectSchedule = `SELECT ` + scheduleColumns + ` FROM jobs_schedules WHERE id = ? AND workspace_id = ?`

const listSchedules = `
	SELECT ` + scheduleColumns + ` FROM jobs_schedules
	WHERE workspace_id = ? AND (? = '' OR id > ?) ORDER BY id LIMIT ?`

const selectDueSchedules = `
	SELECT ` + scheduleColumns + ` FROM jobs_schedules WHERE enabled AND next_at <= ? ORDER BY next_at LIMIT 100`

const nextSchedule = `SELECT next_at FROM jobs_schedules WHERE enabled AND next_at IS NOT NULL ORDER BY next_at LIMIT 1`

// advanceSchedule is won by one process only: the one that still sees next_at.
const advanceSchedule = `
	UPDATE jobs_schedules SET next_at = ?, last_at = ?, last_job = ? WHERE id = ? AND enabled AND next_at = ?`
