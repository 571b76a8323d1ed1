package projects

const projectColumns = `id, workspace_id, name, folder, trusted, created_by, created_at, updated_at`

const (
	insertProject  = `INSERT INTO projects_projects (` + projectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	selectProject  = `SELECT ` + projectColumns + ` FROM projects_projects WHERE workspace_id = ? AND id = ?`
	selectFolder   = `SELECT ` + projectColumns + ` FROM projects_projects WHERE workspace_id = ? AND folder = ?`
	selectName     = `SELECT ` + projectColumns + ` FROM projects_projects WHERE workspace_id = ? AND name = ?`
	listProjects   = `SELECT ` + projectColumns + ` FROM projects_projects WHERE workspace_id = ? ORDER BY name, id`
	updateProject  = `UPDATE projects_projects SET name = ?, trusted = ?, updated_at = ? WHERE workspace_id = ? AND id = ?`
	deleteProject  = `DELETE FROM projects_projects WHERE workspace_id = ? AND id = ?`
	countNamesakes = `SELECT COUNT(*) FROM projects_projects WHERE workspace_id = ? AND name = ? AND id <> ?`
)

const snapshotColumns = `id, workspace_id, call_id, run_id, turn, conversation_id, agent, tool, folder, state, manifest, changed, notes, at, undone_by, undone_at`

const (
	insertSnapshot = `INSERT INTO projects_snapshots (` + snapshotColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, 0, ?, ?, '', NULL)`
	selectSnapshot = `SELECT ` + snapshotColumns + ` FROM projects_snapshots WHERE workspace_id = ? AND id = ?`
	selectCall     = `SELECT ` + snapshotColumns + ` FROM projects_snapshots WHERE workspace_id = ? AND call_id = ? ORDER BY id`
	selectRun      = `SELECT ` + snapshotColumns + ` FROM projects_snapshots WHERE workspace_id = ? AND run_id = ? AND (? = '' OR turn = ?) AND state <> 'undone' ORDER BY id`
	listSnapshots  = `
		SELECT ` + snapshotColumns + ` FROM projects_snapshots
		WHERE workspace_id = ? AND (? = '' OR run_id = ?) AND (? = '' OR folder = ?) AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`
	closeSnapshot  = `UPDATE projects_snapshots SET state = 'kept', changed = ?, notes = ? WHERE id = ? AND state = 'open'`
	dropSnapshot   = `DELETE FROM projects_snapshots WHERE id = ? AND state = 'open'`
	undoSnapshot   = `UPDATE projects_snapshots SET state = 'undone', undone_by = ?, undone_at = ? WHERE workspace_id = ? AND id = ? AND state <> 'undone'`
	pruneSnapshots = `DELETE FROM projects_snapshots WHERE id IN (SELECT id FROM projects_snapshots WHERE at < ? LIMIT ?)`

	insertChange  = `INSERT INTO projects_changes (snapshot_id, workspace_id, path, before, after) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	selectChanges = `SELECT path, before, after FROM projects_changes WHERE snapshot_id = ? ORDER BY path`
	selectLater   = `
		SELECT s.tool AS tool, s.agent AS agent, s.run_id AS run_id FROM projects_changes c JOIN projects_snapshots s ON s.id = c.snapshot_id
		WHERE s.workspace_id = ? AND s.folder = ? AND c.path = ? AND s.id > ? AND s.state <> 'undone' ORDER BY s.id DESC LIMIT 1`
	pruneChanges = `DELETE FROM projects_changes WHERE snapshot_id IN (SELECT id FROM projects_snapshots WHERE at < ? LIMIT ?)`
)
