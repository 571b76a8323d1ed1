package events

import (
	"strings"

	"github.com/fluxway/fluxway/internal/store"
)

// takeCursors gives out cursors and answers the last of them. Its row lock lasts
// until the commit.
const takeCursors = `
	INSERT INTO events_heads (workspace_id, last) VALUES (?, ?)
	ON CONFLICT (workspace_id) DO UPDATE SET last = events_heads.last + excluded.last
	RETURNING last`

const selectHead = `SELECT last FROM events_heads WHERE workspace_id = ?`

const selectHeads = `SELECT workspace_id, last FROM events_heads`

// eventColumns are written by insertEvents and read by the selects below.
const (
	eventColumns = 9
	insertPrefix = store.InsertRows + `events_events (workspace_id, cursor, facts, channel, kind, class, needs_ack, at, data) VALUES `
)

// insertSizes are the numbers of rows that have a statement of their own.
var insertSizes = [...]int{8, 1}

// insertEvents inserts one of insertSizes rows.
var insertEvents = func() map[int]string {
	statements := make(map[int]string)
	for _, n := range insertSizes {
		statements[n] = insertPrefix + strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?, ?, ?, ?, ?), ", n), ", ")
	}
	return statements
}()

const selectRange = `
	SELECT cursor, facts, channel, kind, at, data FROM events_events
	WHERE workspace_id = ? AND cursor > ? AND cursor <= ?
	ORDER BY cursor LIMIT ?`

// selectFiltered takes a kind ("" for any) with its pattern and a prefix with its length (0 for any).
const selectFiltered = `
	SELECT cursor, facts, channel, kind, at, data FROM events_events
	WHERE workspace_id = ? AND cursor > ?
	  AND (? = '' OR ' ' || kind || ' ' LIKE ? ESCAPE '!') AND (? = 0 OR substr(channel, 1, ?) = ?)
	ORDER BY cursor LIMIT ?`

const selectChannel = `
	SELECT cursor, facts, channel, kind, at, data FROM events_events
	WHERE workspace_id = ? AND channel = ? AND cursor > ? AND (? = '' OR ' ' || kind || ' ' LIKE ? ESCAPE '!')
	ORDER BY cursor LIMIT ?`

const selectFloors = `SELECT class, deleted, examined FROM events_floors WHERE workspace_id = ?`

const saveFloor = `
	INSERT INTO events_floors (workspace_id, class, deleted, examined) VALUES (?, ?, ?, ?)
	ON CONFLICT (workspace_id, class) DO UPDATE SET deleted = excluded.deleted, examined = excluded.examined`

const selectNextAt = `
	SELECT cursor, at FROM events_events WHERE workspace_id = ? AND cursor >= ? ORDER BY cursor LIMIT 1`

const deleteRange = `
	DELETE FROM events_events WHERE workspace_id = ? AND class = ? AND cursor > ? AND cursor <= ?`

const selectLastOfClass = `
	SELECT coalesce(max(cursor), 0) AS last, CAST(coalesce(sum(facts), 0) AS BIGINT) AS facts FROM events_events
	WHERE workspace_id = ? AND class = ? AND cursor > ? AND cursor <= ?`

const addConsumer = `
	INSERT INTO events_consumers (workspace_id, consumer, since) VALUES (?, ?, ?)
	ON CONFLICT (workspace_id, consumer) DO NOTHING`

const selectSince = `SELECT since FROM events_consumers WHERE workspace_id = ? AND consumer = ?`

const selectConsumers = `SELECT workspace_id, consumer, since FROM events_consumers`

const moveSince = `UPDATE events_consumers SET since = ? WHERE workspace_id = ? AND consumer = ? AND since < ?`

// insertAck keeps only acknowledgements of events that exist and need one.
const insertAck = `
	INSERT INTO events_acks (workspace_id, consumer, cursor, at)
	SELECT workspace_id, CAST(? AS TEXT), cursor, CAST(? AS BIGINT) FROM events_events
	WHERE workspace_id = ? AND cursor = ? AND needs_ack = 1
	ON CONFLICT (workspace_id, consumer, cursor) DO NOTHING`

const selectAcked = `SELECT count(*) FROM events_acks WHERE workspace_id = ? AND consumer = ? AND cursor = ?`

const selectPending = `
	SELECT e.cursor, e.facts, e.channel, e.kind, e.at, e.data FROM events_events e
	WHERE e.workspace_id = ? AND e.needs_ack = 1 AND e.cursor > ? AND e.cursor <= ?
	  AND NOT EXISTS (SELECT 1 FROM events_acks a WHERE a.workspace_id = e.workspace_id AND a.consumer = ? AND a.cursor = e.cursor)
	ORDER BY e.cursor LIMIT ?`

const selectFirstPending = `
	SELECT coalesce(min(e.cursor), 0) FROM events_events e
	WHERE e.workspace_id = ? AND e.needs_ack = 1 AND e.cursor > ?
	  AND NOT EXISTS (SELECT 1 FROM events_acks a WHERE a.workspace_id = e.workspace_id AND a.consumer = ? AND a.cursor = e.cursor)`

const deleteAcks = `DELETE FROM events_acks WHERE workspace_id = ? AND consumer = ? AND cursor <= ?`

// forget removes every trace of a workspace.
var forget = [...]string{
	`DELETE FROM events_events WHERE workspace_id = ?`,
	`DELETE FROM events_floors WHERE workspace_id = ?`,
	`DELETE FROM events_consumers WHERE workspace_id = ?`,
	`DELETE FROM events_acks WHERE workspace_id = ?`,
	`DELETE FROM events_heads WHERE workspace_id = ?`,
}

const raiseHead = `UPDATE events_heads SET last = ? WHERE workspace_id = ? AND last < ?`
