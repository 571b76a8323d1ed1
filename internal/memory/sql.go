package memory

// Every statement of this part. What a person may see is decided in the
// statement: rows of the workspace whose user, agent and project are open or theirs.
const (
	textColumns = `t.num, t.id, t.workspace_id, t.user_id, t.agent, t.project, t.kind, t.space, t.thread, t.seq, t.title, t.place, t.text, t.words,
		t.length, t.language, t.embedder, t.at`
	theirs = `t.workspace_id = ? AND (t.user_id = '' OR t.user_id = ?) AND (t.agent = '' OR t.agent = ?) AND (t.project = '' OR t.project = ?)`

	insertText = `
		INSERT INTO memory_texts (num, id, workspace_id, user_id, agent, project, kind, space, thread, seq, title, place, text, words, length, language, embedder, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	deleteText    = `DELETE FROM memory_texts WHERE id = ?`
	selectDropped = `SELECT id, space, length FROM memory_texts WHERE id = ? AND workspace_id = ?`
	selectThread  = `SELECT id, space, length FROM memory_texts WHERE thread = ? AND thread <> '' AND workspace_id = ?`
	growSpace     = `
		INSERT INTO memory_spaces (space, workspace_id, user_id, agent, project, kind, texts, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (space) DO UPDATE SET texts = memory_spaces.texts + excluded.texts, words = memory_spaces.words + excluded.words`
	shrinkSpace = `UPDATE memory_spaces SET texts = texts - ?, words = words - ? WHERE space = ?`
	nextSeq     = `SELECT coalesce(max(seq), -1) + 1 FROM memory_texts WHERE thread = ? AND thread <> ''`
	neighbours  = `SELECT ` + textColumns + ` FROM memory_texts AS t WHERE t.thread = ? AND t.thread <> '' AND (t.seq = ? OR t.seq = ?) AND ` + theirs

	// CROSS JOIN keeps the planner from walking through everything a workspace has.
	holdersSQLite = `SELECT coalesce(group_concat(rowid), '') FROM (SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?)`
	newestSQLite  = `
		SELECT t.words FROM (SELECT rowid AS num FROM memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC LIMIT ?) AS f
		CROSS JOIN memory_texts AS t ON t.num = f.num`
	numbersSQLite = `SELECT ` + textColumns + ` FROM (SELECT value AS wanted FROM json_each(?)) AS w CROSS JOIN memory_texts AS t ON t.num = w.wanted WHERE ` + theirs
	sizeSQLite    = `SELECT space, texts, words FROM memory_spaces WHERE texts > 0 AND space IN (SELECT value FROM json_each(?))`
	fetchSQLite   = `SELECT ` + textColumns + ` FROM (SELECT value AS wanted FROM json_each(?)) AS w CROSS JOIN memory_texts AS t ON t.id = w.wanted WHERE ` + theirs

	holdersPostgres = `
		SELECT coalesce(string_agg(num::text, ','), '')
		FROM (SELECT num FROM memory_texts WHERE lexemes @@ ?::text::tsquery ORDER BY num DESC LIMIT ?) AS f`
	newestPostgres  = `SELECT words FROM memory_texts WHERE lexemes @@ ?::text::tsquery ORDER BY num DESC LIMIT ?`
	numbersPostgres = `
		SELECT ` + textColumns + ` FROM memory_texts AS t
		WHERE t.num IN (SELECT value::bigint FROM jsonb_array_elements_text(?::text::jsonb)) AND ` + theirs
	sizePostgres  = `SELECT space, texts, words FROM memory_spaces WHERE texts > 0 AND space = ANY(string_to_array(?, ','))`
	fetchPostgres = `SELECT ` + textColumns + ` FROM memory_texts AS t WHERE t.id = ANY(string_to_array(?, ',')) AND ` + theirs
)

// Facts.
const (
	factColumns = `id, workspace_id, user_id, agent, project, state, text, subject, value, confidence, origin, pinned, source, heard, uses, useful, used_at,
		replaced_by, created_at, updated_at`
	own = `workspace_id = ? AND (user_id = '' OR user_id = ?)`

	insertFact = `
		INSERT INTO memory_facts (id, workspace_id, user_id, agent, project, space, state, text, print, subject, value, confidence, origin, pinned, source,
			heard, uses, useful, used_at, replaced_by, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`
	selectFact = `SELECT ` + factColumns + ` FROM memory_facts WHERE id = ? AND ` + own
	listFacts  = `
		SELECT ` + factColumns + ` FROM memory_facts
		WHERE ` + own + ` AND state = ? AND (? = '' OR user_id = ?) AND (? = '' OR agent = ?) AND (? = '' OR project = ?) AND (? = FALSE OR pinned)
		  AND (? = '' OR id < ?)
		ORDER BY id DESC LIMIT ?`
	sameSubject  = `SELECT ` + factColumns + ` FROM memory_facts WHERE space = ? AND subject = ? AND subject <> '' AND state <> 'past' ORDER BY id`
	historyOf    = `SELECT ` + factColumns + ` FROM memory_facts WHERE replaced_by = ? AND replaced_by <> '' AND ` + own + ` ORDER BY id DESC LIMIT 100`
	hearAgain    = `UPDATE memory_facts SET heard = heard + 1, confidence = ?, state = ?, updated_at = ? WHERE id = ?`
	replaceFact  = `UPDATE memory_facts SET state = 'past', replaced_by = ?, updated_at = ? WHERE id = ?`
	inheritPast  = `UPDATE memory_facts SET replaced_by = ? WHERE replaced_by = ? AND replaced_by <> ''`
	updateFact   = `UPDATE memory_facts SET text = ?, print = ?, subject = ?, value = ?, pinned = ?, state = ?, confidence = ?, updated_at = ? WHERE id = ?`
	deletePast   = `DELETE FROM memory_facts WHERE replaced_by = ? AND replaced_by <> ''`
	deleteFact   = `DELETE FROM memory_facts WHERE id = ?`
	markUsed     = `UPDATE memory_facts SET uses = uses + ?, useful = useful + ?, used_at = ? WHERE id = ? AND workspace_id = ?`
	selectPinned = `SELECT ` + factColumns + ` FROM memory_facts WHERE workspace_id = ? AND (user_id = '' OR user_id = ?) AND (agent = '' OR agent = ?)
		AND (project = '' OR project = ?) AND pinned AND state = 'active' ORDER BY id LIMIT ?`
	selectFading = `
		SELECT ` + factColumns + ` FROM memory_facts
		WHERE origin = 'learned' AND NOT pinned AND updated_at < ? AND (used_at IS NULL OR used_at < ?) ORDER BY updated_at LIMIT ?`
	factsSQLite   = `SELECT ` + factColumns + ` FROM (SELECT value AS wanted FROM json_each(?)) AS w CROSS JOIN memory_facts ON id = w.wanted WHERE ` + own
	factsPostgres = `SELECT ` + factColumns + ` FROM memory_facts WHERE id = ANY(string_to_array(?, ',')) AND ` + own
	printsSQLite  = `
		SELECT ` + factColumns + `, print FROM (SELECT value AS wanted FROM json_each(?)) AS w
		CROSS JOIN memory_facts ON space = ? AND print = w.wanted AND state <> 'past'`
	printsPostgres = `
		SELECT ` + factColumns + `, print FROM memory_facts
		WHERE print IN (SELECT jsonb_array_elements_text(?::text::jsonb)) AND space = ? AND state <> 'past'`
	countFacts = `SELECT state AS name, count(*) AS n FROM memory_facts WHERE ` + own + ` GROUP BY state`

	selectLearn = `SELECT learn FROM memory_settings WHERE workspace_id = ? AND user_id = ?`
	upsertLearn = `
		INSERT INTO memory_settings (workspace_id, user_id, learn, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (workspace_id, user_id) DO UPDATE SET learn = excluded.learn, updated_at = excluded.updated_at`

	insertHeard   = `INSERT INTO memory_heard (id, workspace_id, user_id, conversation_id, exchange, at) VALUES (?, ?, ?, ?, ?, ?)`
	selectHeard   = `SELECT id, exchange FROM memory_heard WHERE workspace_id = ? AND user_id = ? AND conversation_id = ? ORDER BY at, id`
	deleteHeard   = `DELETE FROM memory_heard WHERE id = ?`
	deleteHeardOf = `DELETE FROM memory_heard WHERE workspace_id = ? AND user_id = ?`
)

// Vectors.
const (
	selectEmbedders = `SELECT serving, building FROM memory_embedders WHERE one = 1`
	upsertEmbedders = `
		INSERT INTO memory_embedders (one, serving, building) VALUES (1, ?, ?)
		ON CONFLICT (one) DO UPDATE SET serving = excluded.serving, building = excluded.building`
	waitingBelow   = `SELECT ` + textColumns + ` FROM memory_texts AS t WHERE t.embedder < ? ORDER BY t.embedder, t.num LIMIT ?`
	waitingAbove   = `SELECT ` + textColumns + ` FROM memory_texts AS t WHERE t.embedder > ? ORDER BY t.embedder, t.num LIMIT ?`
	anyWaiting     = `SELECT EXISTS (SELECT 1 FROM memory_texts WHERE embedder < ?) OR EXISTS (SELECT 1 FROM memory_texts WHERE embedder > ?)`
	countWaiting   = `SELECT count(*) FROM memory_texts WHERE embedder <> ?`
	anyOf          = `SELECT EXISTS (SELECT 1 FROM memory_texts WHERE embedder = ?)`
	countByOwner   = `SELECT workspace_id, user_id, sum(texts) AS texts FROM memory_spaces GROUP BY workspace_id, user_id ORDER BY workspace_id, user_id`
	selectTurns    = `SELECT id, space, place FROM memory_texts WHERE thread = ? AND thread <> '' AND workspace_id = ? AND user_id = ? AND kind = 'turn' ORDER BY seq DESC LIMIT 1000`
	selectWordsOf  = `SELECT words FROM memory_texts WHERE workspace_id = ? AND user_id = ? ORDER BY num DESC LIMIT 20000`
	markedSQLite   = `UPDATE memory_texts SET embedder = ? WHERE num IN (SELECT value FROM json_each(?)) RETURNING num`
	markedPostgres = `UPDATE memory_texts SET embedder = ? WHERE num IN (SELECT value::bigint FROM jsonb_array_elements_text(?::text::jsonb)) RETURNING num`
	selectOwners   = `SELECT DISTINCT workspace_id FROM memory_spaces`
)

// Forgetting a user.
const (
	deleteFactsOf     = `DELETE FROM memory_facts WHERE workspace_id = ? AND user_id = ?`
	deleteSpacesOf    = `DELETE FROM memory_spaces WHERE workspace_id = ? AND user_id = ?`
	deleteSettingsOf  = `DELETE FROM memory_settings WHERE workspace_id = ? AND user_id = ?`
	deleteProfileOf   = `DELETE FROM memory_profiles WHERE workspace_id = ? AND user_id = ?`
	deleteRelationsOf = `DELETE FROM memory_relations WHERE workspace_id = ? AND user_id = ?`
	deleteEntitiesOf  = `DELETE FROM memory_entities WHERE workspace_id = ? AND user_id = ?`
	deleteSourcesOf   = `DELETE FROM memory_sources WHERE workspace_id = ? AND user_id = ?`
	deleteTextsOf     = `DELETE FROM memory_texts WHERE workspace_id = ? AND user_id = ?`
	selectSpacesOf    = `SELECT space FROM memory_spaces WHERE workspace_id = ? AND user_id = ?`
	deleteHeardIn     = `DELETE FROM memory_heard WHERE workspace_id = ? AND conversation_id = ?`
	deleteEntitiesIn  = `DELETE FROM memory_entities WHERE workspace_id = ? AND session_id = ? AND session_id <> ''`
	deleteRelationsIn = `DELETE FROM memory_relations WHERE workspace_id = ? AND session_id = ? AND session_id <> ''`
)

// Removing a workspace.
const (
	deleteFactsIn        = `DELETE FROM memory_facts WHERE workspace_id = ?`
	deleteSpacesIn       = `DELETE FROM memory_spaces WHERE workspace_id = ?`
	deleteSettingsIn     = `DELETE FROM memory_settings WHERE workspace_id = ?`
	deleteProfilesIn     = `DELETE FROM memory_profiles WHERE workspace_id = ?`
	deleteAllRelationsIn = `DELETE FROM memory_relations WHERE workspace_id = ?`
	deleteAllEntitiesIn  = `DELETE FROM memory_entities WHERE workspace_id = ?`
	deleteSourcesIn      = `DELETE FROM memory_sources WHERE workspace_id = ?`
	deleteTextsIn        = `DELETE FROM memory_texts WHERE workspace_id = ?`
	deleteAllHeardIn     = `DELETE FROM memory_heard WHERE workspace_id = ?`
)

// The graph.
const (
	insertEntity = `
		INSERT INTO memory_entities (id, workspace_id, user_id, session_id, name, type, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, user_id, session_id, name) DO NOTHING`
	selectEntity       = `SELECT id, name, type FROM memory_entities WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND name = ?`
	selectEntityName   = `SELECT name FROM memory_entities WHERE id = ? AND workspace_id = ? AND user_id = ?`
	updateEntity       = `UPDATE memory_entities SET name = ?, type = ?, updated_at = ? WHERE id = ?`
	moveSources        = `UPDATE memory_relations SET source = ? WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND source = ?`
	moveTargets        = `UPDATE memory_relations SET target = ? WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND target = ?`
	deleteEntity       = `DELETE FROM memory_entities WHERE id = ?`
	selectObservations = `SELECT text FROM memory_observations WHERE entity_id = ? ORDER BY position`
	nextObservation    = `SELECT coalesce(max(position), -1) + 1 FROM memory_observations WHERE entity_id = ?`
	insertObservation  = `INSERT INTO memory_observations (entity_id, position, text, created_at) VALUES (?, ?, ?, ?)`
	deleteObservation  = `DELETE FROM memory_observations WHERE entity_id = ? AND text = ?`
	insertRelation     = `
		INSERT INTO memory_relations (workspace_id, user_id, session_id, source, target, type, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, user_id, session_id, source, target, type) DO NOTHING`
	deleteRelation      = `DELETE FROM memory_relations WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND source = ? AND target = ? AND type = ?`
	deleteRelationsWith = `DELETE FROM memory_relations WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND (source = ? OR target = ?)`
	selectRelations     = `SELECT source, target, type FROM memory_relations WHERE workspace_id = ? AND user_id = ? AND session_id = ? ORDER BY created_at, source, target, type`

	selectGraph = `
		SELECT e.name, e.type, o.text
		FROM (SELECT id, name, type FROM memory_entities WHERE workspace_id = ? AND user_id = ? AND session_id = ? ORDER BY id LIMIT ?) AS e
		LEFT JOIN memory_observations AS o ON o.entity_id = e.id
		ORDER BY e.id, o.position`
	openSQLite = `
		SELECT e.name, e.type, o.text
		FROM (SELECT id, name, type FROM memory_entities
			WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND name IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?) AS e
		LEFT JOIN memory_observations AS o ON o.entity_id = e.id
		ORDER BY e.id, o.position`
	openPostgres = `
		SELECT e.name, e.type, o.text
		FROM (SELECT id, name, type FROM memory_entities
			WHERE workspace_id = ? AND user_id = ? AND session_id = ? AND name IN (SELECT jsonb_array_elements_text(?::text::jsonb)) ORDER BY id LIMIT ?) AS e
		LEFT JOIN memory_observations AS o ON o.entity_id = e.id
		ORDER BY e.id, o.position`
	searchEntities = `
		SELECT e.name FROM memory_entities AS e
		WHERE e.workspace_id = ? AND e.user_id = ? AND e.session_id = ? AND (lower(e.name) LIKE ? ESCAPE '\' OR lower(e.type) LIKE ? ESCAPE '\'
			OR EXISTS (SELECT 1 FROM memory_observations AS o WHERE o.entity_id = e.id AND lower(o.text) LIKE ? ESCAPE '\'))
		ORDER BY e.id LIMIT ?`
	neighbourhood = `
		WITH RECURSIVE near (name, depth) AS (
			SELECT CAST(? AS TEXT), 0
			UNION
			SELECT CASE WHEN r.source = n.name THEN r.target ELSE r.source END, n.depth + 1
			FROM near AS n JOIN memory_relations AS r
				ON r.workspace_id = ? AND r.user_id = ? AND r.session_id = ? AND (r.source = n.name OR r.target = n.name)
			WHERE n.depth < ?
		)
		SELECT name FROM near GROUP BY name ORDER BY min(depth), name LIMIT ?`
)

// Profiles.
const (
	selectProfile = `SELECT fields, version, updated_at FROM memory_profiles WHERE workspace_id = ? AND user_id = ?`
	upsertProfile = `
		INSERT INTO memory_profiles (workspace_id, user_id, fields, version, updated_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (workspace_id, user_id) DO UPDATE SET fields = excluded.fields, version = excluded.version, updated_at = excluded.updated_at`
)

const countTexts = `SELECT kind AS name, coalesce(sum(texts), 0) AS n FROM memory_spaces WHERE workspace_id = ? AND (user_id = '' OR user_id = ?) GROUP BY kind`

// Knowledge.
const (
	sourceColumns = `s.id, s.workspace_id, s.user_id, s.agent, s.project, s.kind, s.location, s.title, s.options, s.watch, s.state, s.error, s.created_by,
		s.created_at, s.updated_at, s.indexed_at,
		(SELECT count(*) FROM memory_files AS f WHERE f.source_id = s.id) AS files,
		(SELECT count(*) FROM memory_files AS f WHERE f.source_id = s.id AND f.state = 'failed') AS failed,
		(SELECT coalesce(sum(f.pieces), 0) FROM memory_files AS f WHERE f.source_id = s.id) AS pieces`
	insertSource = `
		INSERT INTO memory_sources (id, workspace_id, user_id, agent, project, kind, location, title, options, body, watch, state, error, created_by, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	selectSource = `SELECT ` + sourceColumns + ` FROM memory_sources AS s WHERE s.id = ? AND s.workspace_id = ? AND (s.user_id = '' OR s.user_id = ?)`
	listSources  = `
		SELECT ` + sourceColumns + ` FROM memory_sources AS s
		WHERE s.workspace_id = ? AND (s.user_id = '' OR s.user_id = ?) AND (? = '' OR s.id < ?) ORDER BY s.id DESC LIMIT ?`
	selectTitles    = `SELECT id, title FROM memory_sources WHERE workspace_id = ? AND (user_id = '' OR user_id = ?)`
	selectAnySource = `SELECT ` + sourceColumns + ` FROM memory_sources AS s WHERE s.id = ?`
	selectBody      = `SELECT body FROM memory_sources WHERE id = ?`
	selectWatched   = `SELECT ` + sourceColumns + ` FROM memory_sources AS s WHERE s.watch AND s.kind IN ('file', 'folder', 'glob', 'git') ORDER BY s.id LIMIT 1000`
	setSourceState  = `UPDATE memory_sources SET state = ?, error = ?, updated_at = ? WHERE id = ?`
	setSourceDone   = `UPDATE memory_sources SET state = ?, error = ?, updated_at = ?, indexed_at = ? WHERE id = ?`
	updateSource    = `UPDATE memory_sources SET title = ?, watch = ?, options = ?, body = ?, state = ?, updated_at = ? WHERE id = ?`
	deleteSource    = `DELETE FROM memory_sources WHERE id = ?`

	fileColumns   = `id, path, title, format, size, state, code, error, hint, pieces, indexed_at, stamp, hash`
	listFiles     = `SELECT ` + fileColumns + ` FROM memory_files WHERE source_id = ? AND (? = '' OR state = ?) AND path > ? ORDER BY path LIMIT ?`
	selectFiles   = `SELECT ` + fileColumns + ` FROM memory_files WHERE source_id = ?`
	selectFileIDs = `SELECT id FROM memory_files WHERE source_id = ?`
	staleFiles    = `UPDATE memory_files SET stamp = '', hash = '' WHERE source_id = ?`
	upsertFile    = `
		INSERT INTO memory_files (id, source_id, path, title, format, size, stamp, hash, state, code, error, hint, pieces, indexed_at)
		SELECT CAST(? AS TEXT), s.id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
			CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT)
		FROM memory_sources AS s WHERE s.id = ?
		ON CONFLICT (source_id, path) DO UPDATE SET title = excluded.title, format = excluded.format, size = excluded.size, stamp = excluded.stamp,
			hash = excluded.hash, state = excluded.state, code = excluded.code, error = excluded.error, hint = excluded.hint, pieces = excluded.pieces,
			indexed_at = excluded.indexed_at`
	restampFile = `UPDATE memory_files SET stamp = ? WHERE id = ?`
	deleteFile  = `DELETE FROM memory_files WHERE id = ?`
)

// Vectors that move or were lost.
const (
	selectLargest = `SELECT space, workspace_id FROM memory_spaces WHERE texts > 0 ORDER BY texts DESC LIMIT 10`
	claimText     = `UPDATE memory_texts SET embedder = ? WHERE id = ? AND workspace_id = ? AND space = ?`
	countEmbedded = `SELECT space AS name, count(*) AS n FROM memory_texts WHERE workspace_id = ? AND embedder = ? GROUP BY space`
	unembed       = `UPDATE memory_texts SET embedder = '' WHERE space = ? AND embedder = ?`
)
