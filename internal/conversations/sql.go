package conversations

const columns = `id, workspace_id, user_id, agent, title, visibility, pinned, archived, head_id, summary, project, created_at, updated_at`

const insertConversation = `
	INSERT INTO conversations_conversations (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Every statement that reads a conversation says who asks: its owner, or
// anyone of the workspace when it is shared.
const selectConversation = `
	SELECT ` + columns + ` FROM conversations_conversations
	WHERE id = ? AND workspace_id = ? AND (user_id = ? OR visibility = 'workspace')`

const listConversations = `
	SELECT ` + columns + ` FROM conversations_conversations
	WHERE workspace_id = ? AND archived = ? AND (user_id = ? OR visibility = 'workspace')
		AND (? = '' OR lower(title) LIKE ? ESCAPE '!')
		AND (CAST(? AS BIGINT) = 0 OR updated_at < ? OR (updated_at = ? AND id < ?))
	ORDER BY updated_at DESC, id DESC LIMIT ?`

const updateConversation = `
	UPDATE conversations_conversations SET title = ?, visibility = ?, pinned = ?, archived = ?, head_id = ?, summary = ?, project = ?, updated_at = ?
	WHERE id = ? AND workspace_id = ? AND user_id = ?`

const touchConversation = `UPDATE conversations_conversations SET updated_at = ?, head_id = ? WHERE id = ? AND workspace_id = ?`

const deleteMessages = `DELETE FROM conversations_messages WHERE conversation_id = ? AND workspace_id = ?`

const deleteConversation = `DELETE FROM conversations_conversations WHERE id = ? AND workspace_id = ? AND user_id = ?`

const messageColumns = `id, workspace_id, conversation_id, parent_id, run_id, role, author, state, model, parts, usage, notes, created_at`

const insertMessage = `
	INSERT INTO conversations_messages (` + messageColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// The path goes from a message to its parent, and so on; the last argument is how many steps.
const selectPath = `
	WITH RECURSIVE path (id, parent_id, steps) AS (
		SELECT id, parent_id, 0 FROM conversations_messages WHERE id = ? AND conversation_id = ? AND workspace_id = ?
		UNION ALL
		SELECT m.id, m.parent_id, p.steps + 1 FROM path p JOIN conversations_messages m ON m.id = p.parent_id
		WHERE p.steps < CAST(? AS BIGINT)
	)
	SELECT m.id, m.workspace_id, m.conversation_id, m.parent_id, m.run_id, m.role, m.author, m.state, m.model, m.parts, m.usage, m.notes, m.created_at,
		(SELECT count(*) FROM conversations_messages s WHERE s.conversation_id = m.conversation_id AND s.parent_id = m.parent_id) AS versions
	FROM path JOIN conversations_messages m ON m.id = path.id ORDER BY path.steps`

const selectPathIDs = `
	WITH RECURSIVE path (id, parent_id) AS (
		SELECT id, parent_id FROM conversations_messages WHERE id = ? AND conversation_id = ? AND workspace_id = ?
		UNION ALL
		SELECT m.id, m.parent_id FROM path p JOIN conversations_messages m ON m.id = p.parent_id
	)
	SELECT id FROM path`

const listVersions = `
	SELECT id, author, state, model, created_at FROM conversations_messages
	WHERE conversation_id = ? AND workspace_id = ? AND parent_id = ? ORDER BY id`

// The newest answer of the newest answer, and so on.
const selectTip = `
	WITH RECURSIVE branch (id, steps) AS (
		SELECT CAST(? AS TEXT), 0
		UNION ALL
		SELECT m.id, b.steps + 1 FROM branch b JOIN conversations_messages m ON m.parent_id = b.id
		WHERE m.id = (SELECT max(n.id) FROM conversations_messages n WHERE n.conversation_id = m.conversation_id AND n.parent_id = b.id)
	)
	SELECT id FROM branch ORDER BY steps DESC LIMIT 1`

const selectHead = `SELECT head_id FROM conversations_conversations WHERE id = ? AND workspace_id = ?`

const selectForWork = `SELECT ` + columns + ` FROM conversations_conversations WHERE id = ? AND workspace_id = ?`

const updateNotes = `UPDATE conversations_messages SET notes = ? WHERE id = ? AND conversation_id = ? AND workspace_id = ?`

const selectMessage = `
	SELECT ` + messageColumns + ` FROM conversations_messages WHERE id = ? AND conversation_id = ? AND workspace_id = ?`

const countConversation = `SELECT count(*) FROM conversations_conversations WHERE id = ? AND workspace_id = ?`

const deleteWords = `DELETE FROM conversations_words WHERE conversation_id = ? AND workspace_id = ?`

const deleteComments = `DELETE FROM conversations_comments WHERE conversation_id = ? AND workspace_id = ?`

const deleteAttachments = `DELETE FROM conversations_attachments WHERE conversation_id = ? AND workspace_id = ?`

const listBodies = `SELECT body_id FROM conversations_attachments WHERE conversation_id = ? AND workspace_id = ?`

const insertWords = `
	INSERT INTO conversations_words (n, workspace_id, conversation_id, message_id, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (n) DO NOTHING`

const foundColumns = `
	m.id AS message_id, c.id AS conversation_id, c.title, m.role, m.author, m.parts, m.created_at`

const foundFrom = `
	JOIN conversations_messages m ON m.id = w.message_id
	JOIN conversations_conversations c ON c.id = w.conversation_id
	WHERE w.workspace_id = ? AND (c.user_id = ? OR c.visibility = 'workspace') AND (CAST(? AS TEXT) = '' OR c.id = ?)`

// searchBy is the search of each engine: the same columns, its own index.
var searchBy = map[string]string{
	"sqlite": `SELECT` + foundColumns + `
		FROM conversations_words_index i JOIN conversations_words w ON w.n = i.rowid` + foundFrom + `
		AND conversations_words_index MATCH ? ORDER BY i.rank, m.id DESC LIMIT ?`,
	"postgres": `SELECT` + foundColumns + `
		FROM conversations_words w` + foundFrom + `
		AND to_tsvector('simple', w.body) @@ to_tsquery('simple', ?)
		ORDER BY m.id DESC LIMIT ?`,
}

const attachmentColumns = `id, workspace_id, user_id, conversation_id, name, media_type, size, body_id, created_at, run_id`

const insertAttachment = `
	INSERT INTO conversations_attachments (` + attachmentColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// An attachment is seen by whoever sent it, and by those who see its conversation.
const selectAttachment = `
	SELECT ` + attachmentColumns + ` FROM conversations_attachments a
	WHERE a.id = ? AND a.workspace_id = ? AND (a.user_id = ? OR EXISTS (
		SELECT 1 FROM conversations_conversations c
		WHERE c.id = a.conversation_id AND c.workspace_id = a.workspace_id AND (c.user_id = ? OR c.visibility = 'workspace')))`

const selectAttachmentForWork = `SELECT ` + attachmentColumns + ` FROM conversations_attachments WHERE id = ? AND workspace_id = ?`

const listAttachments = `
	SELECT ` + attachmentColumns + ` FROM conversations_attachments WHERE conversation_id = ? AND workspace_id = ? ORDER BY id`

const useAttachment = `
	UPDATE conversations_attachments SET conversation_id = ? WHERE id = ? AND workspace_id = ? AND user_id = ? AND (conversation_id = '' OR conversation_id = ?)`

const selectLoose = `
	SELECT ` + attachmentColumns + ` FROM conversations_attachments WHERE conversation_id = '' AND created_at < ? LIMIT ?`

const selectGiven = `
	SELECT ` + attachmentColumns + ` FROM conversations_attachments WHERE run_id <> '' AND created_at < ? LIMIT ?`

const deleteAttachment = `DELETE FROM conversations_attachments WHERE id = ?`

const commentColumns = `id, workspace_id, conversation_id, message_id, user_id, text, created_at`

const insertComment = `
	INSERT INTO conversations_comments (` + commentColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`

const listComments = `
	SELECT ` + commentColumns + ` FROM conversations_comments WHERE conversation_id = ? AND workspace_id = ? ORDER BY id`

const selectComment = `
	SELECT ` + commentColumns + ` FROM conversations_comments WHERE id = ? AND conversation_id = ? AND workspace_id = ? AND user_id = ?`

const deleteComment = `DELETE FROM conversations_comments WHERE id = ? AND conversation_id = ? AND workspace_id = ? AND user_id = ?`

const listAllMessages = `
	SELECT ` + messageColumns + ` FROM conversations_messages WHERE conversation_id = ? AND workspace_id = ? ORDER BY id LIMIT ?`
