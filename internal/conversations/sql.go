package conversations

const columns = `id, workspace_id, user_id, agent, title, visibility, pinned, archived, created_at, updated_at`

const insertConversation = `
	INSERT INTO conversations_conversations (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

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
	UPDATE conversations_conversations SET title = ?, visibility = ?, pinned = ?, archived = ?, updated_at = ?
	WHERE id = ? AND workspace_id = ? AND user_id = ?`

const touchConversation = `UPDATE conversations_conversations SET updated_at = ? WHERE id = ? AND workspace_id = ?`

const deleteMessages = `DELETE FROM conversations_messages WHERE conversation_id = ? AND workspace_id = ?`

const deleteConversation = `DELETE FROM conversations_conversations WHERE id = ? AND workspace_id = ? AND user_id = ?`

const messageColumns = `id, workspace_id, conversation_id, parent_id, run_id, role, author, state, model, parts, usage, created_at`

const insertMessage = `
	INSERT INTO conversations_messages (` + messageColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const listMessages = `
	SELECT ` + messageColumns + ` FROM conversations_messages
	WHERE conversation_id = ? AND workspace_id = ? AND (? = '' OR id < ?)
	ORDER BY id DESC LIMIT ?`

const selectMessage = `
	SELECT ` + messageColumns + ` FROM conversations_messages WHERE id = ? AND conversation_id = ? AND workspace_id = ?`

const countConversation = `SELECT count(*) FROM conversations_conversations WHERE id = ? AND workspace_id = ?`
