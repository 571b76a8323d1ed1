package identity

// Workspaces and members.
const (
	workspaceColumns = `w.id, w.name, w.created_at`

	insertWorkspace = `
	INSERT INTO identity_workspaces (id, name, name_key, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (name_key) DO NOTHING`

	renameWorkspace = `
	UPDATE identity_workspaces SET name = ?, name_key = ?, updated_at = ?
	WHERE id = ? AND NOT EXISTS (SELECT 1 FROM identity_workspaces o WHERE o.name_key = ? AND o.id <> ?)`

	deleteWorkspace = `DELETE FROM identity_workspaces WHERE id = ?`

	// Locking a workspace's row makes decisions about its last administrator
	// safe when two processes share a database; locking all, about the last workspace.
	lockWorkspace     = `UPDATE identity_workspaces SET updated_at = updated_at WHERE id = ?`
	lockAllWorkspaces = `UPDATE identity_workspaces SET updated_at = updated_at`

	selectWorkspace = `SELECT ` + workspaceColumns + ` FROM identity_workspaces w WHERE w.id = ?`

	selectWorkspaceByName = `SELECT ` + workspaceColumns + ` FROM identity_workspaces w WHERE w.id = ? OR w.name_key = ?`

	selectHome = `SELECT id FROM identity_workspaces ORDER BY created_at, id LIMIT 1`

	selectAllWorkspaces = `SELECT ` + workspaceColumns + `, 'admin' AS role FROM identity_workspaces w ORDER BY w.created_at, w.id`

	selectWorkspaceIDs = `
	SELECT id FROM identity_workspaces
	UNION SELECT workspace_id FROM identity_audit_heads ORDER BY 1`

	selectMemberships = `
	SELECT ` + workspaceColumns + `, m.role FROM identity_members m
	JOIN identity_workspaces w ON w.id = m.workspace_id
	WHERE m.user_id = ? ORDER BY w.created_at, w.id`

	insertMember = `
	INSERT INTO identity_members (workspace_id, user_id, role, created_at) VALUES (?, ?, ?, ?)
	ON CONFLICT (workspace_id, user_id) DO NOTHING`

	updateRole = `UPDATE identity_members SET role = ? WHERE workspace_id = ? AND user_id = ?`

	deleteMember = `DELETE FROM identity_members WHERE workspace_id = ? AND user_id = ?`

	deleteMembersOf = `DELETE FROM identity_members WHERE workspace_id = ?`

	countAdmins = `SELECT count(*) FROM identity_members WHERE workspace_id = ? AND role = 'admin' AND user_id <> ?`

	selectOldestAdmin = `
	SELECT ` + userColumns + ` FROM identity_members m JOIN identity_users u ON u.id = m.user_id
	WHERE m.workspace_id = ? AND m.role = 'admin' ORDER BY m.created_at, u.id LIMIT 1`

	selectHomeless = `
	SELECT u.id FROM identity_users u
	WHERE NOT EXISTS (SELECT 1 FROM identity_members m WHERE m.user_id = u.id) ORDER BY u.id`
)

// Users.
const (
	userColumns = `u.id, u.login, u.name, u.email, u.totp_on, u.created_at`

	accountColumns = userColumns + `, u.password, u.totp_secret, u.totp_step`

	insertUser = `
	INSERT INTO identity_users (id, login, name, email, password, totp_on, totp_step, created_at, updated_at)
	VALUES (?, ?, ?, ?, ?, FALSE, 0, ?, ?) ON CONFLICT (login) DO NOTHING`

	selectAccount = `SELECT ` + accountColumns + ` FROM identity_users u WHERE u.id = ?`

	selectMemberByLogin = `
	SELECT u.id FROM identity_users u JOIN identity_members m ON m.user_id = u.id WHERE m.workspace_id = ? AND u.login = ?`

	selectAccountByLogin = `SELECT ` + accountColumns + ` FROM identity_users u WHERE u.login = ?`

	memberColumns = userColumns + `, m.role, (SELECT count(*) FROM identity_passkeys p WHERE p.user_id = u.id) AS passkeys`

	selectMembers = `
	SELECT ` + memberColumns + ` FROM identity_members m JOIN identity_users u ON u.id = m.user_id
	WHERE m.workspace_id = ? AND u.id > ? ORDER BY u.id LIMIT ?`

	selectMember = `
	SELECT ` + memberColumns + ` FROM identity_members m JOIN identity_users u ON u.id = m.user_id
	WHERE m.workspace_id = ? AND u.id = ?`

	updateUser = `UPDATE identity_users SET name = ?, email = ?, updated_at = ? WHERE id = ?`

	updatePassword = `UPDATE identity_users SET password = ?, updated_at = ? WHERE id = ?`

	upgradePassword = `UPDATE identity_users SET password = ? WHERE id = ? AND password = ?`

	deleteUser = `DELETE FROM identity_users WHERE id = ?`
)

// First set-up.
const (
	selectSetup = `SELECT count(*) FROM identity_setup`

	insertSetup = `INSERT INTO identity_setup (id, user_id, done_at) VALUES (1, ?, ?) ON CONFLICT (id) DO NOTHING`

	insertSetupCode = `INSERT INTO identity_setup_codes (hash, created_at, expires_at) VALUES (?, ?, ?)`

	selectSetupCode = `SELECT expires_at FROM identity_setup_codes WHERE hash = ?`

	deleteSetupCodes = `DELETE FROM identity_setup_codes`

	deleteOldSetupCodes = `DELETE FROM identity_setup_codes WHERE expires_at <= ?`
)

// Sessions.
const (
	insertSession = `
	INSERT INTO identity_sessions (id, user_id, workspace_id, hash, ip, agent, created_at, rotated_at, seen_at, expires_at, host)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectSessionByToken = `
	SELECT s.id, s.user_id, s.workspace_id, s.hash, s.previous_hash, s.previous_until, s.created_at, s.rotated_at, s.seen_at,
	       s.expires_at, u.login, u.name, w.name AS workspace_name, m.role
	FROM identity_sessions s
	JOIN identity_users u ON u.id = s.user_id
	JOIN identity_members m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
	JOIN identity_workspaces w ON w.id = s.workspace_id
	WHERE s.hash = ? OR s.previous_hash = ?`

	confirmSession = `
	UPDATE identity_sessions SET previous_until = ?
	WHERE id = ? AND hash = ? AND previous_hash IS NOT NULL AND previous_until IS NULL`

	rotateSession = `
	UPDATE identity_sessions SET previous_hash = hash, previous_until = NULL, hash = ?, rotated_at = ?
	WHERE id = ? AND hash = ?`

	// The answer with the new token never arrived: the old one gets another.
	rotateSessionAgain = `
	UPDATE identity_sessions SET hash = ?, rotated_at = ?
	WHERE id = ? AND previous_hash = ? AND previous_until IS NULL AND rotated_at <= ?`

	selectSeats = `
	SELECT s.id, s.user_id, s.workspace_id, m.role FROM identity_sessions s
	JOIN identity_members m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
	WHERE s.workspace_id = ? AND s.expires_at > ? ORDER BY s.id`

	selectSeat = `
	SELECT s.id, s.user_id, s.workspace_id, m.role FROM identity_sessions s
	JOIN identity_members m ON m.user_id = s.user_id AND m.workspace_id = s.workspace_id
	WHERE s.id = ? AND s.expires_at > ?`

	touchSession = `
	UPDATE identity_sessions SET seen_at = ?, ip = ?, agent = ?, expires_at = ? WHERE id = ? AND seen_at <= ?`

	selectSessions = `
	SELECT id, user_id, workspace_id, ip, agent, created_at, seen_at, expires_at FROM identity_sessions
	WHERE user_id = ? AND expires_at > ? ORDER BY seen_at DESC, id DESC`

	selectLastWorkspace = `
	SELECT s.workspace_id FROM identity_sessions s
	JOIN identity_members m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id
	WHERE s.user_id = ? ORDER BY s.seen_at DESC LIMIT 1`

	switchSession = `UPDATE identity_sessions SET workspace_id = ? WHERE id = ?`

	moveSessions = `
	UPDATE identity_sessions SET workspace_id = (
		SELECT m.workspace_id FROM identity_members m WHERE m.user_id = identity_sessions.user_id ORDER BY m.created_at LIMIT 1)
	WHERE workspace_id = ? AND (? = '' OR user_id = ?)
	AND EXISTS (SELECT 1 FROM identity_members m WHERE m.user_id = identity_sessions.user_id)`

	deleteSession = `DELETE FROM identity_sessions WHERE id = ? AND user_id = ?`

	deleteSessionsIn = `DELETE FROM identity_sessions WHERE workspace_id = ? AND (? = '' OR user_id = ?)`

	deleteOtherSessions = `DELETE FROM identity_sessions WHERE user_id = ? AND id <> ?`

	deleteOldSessions = `DELETE FROM identity_sessions WHERE expires_at <= ? OR created_at <= ?`
)

// Keys.
const (
	keyColumns = `k.id, k.workspace_id, k.user_id, k.name, k.hint, k.scopes, k.allow, k.previous_until, k.created_at, k.expires_at,
	       k.rotated_at, k.used_at, k.used_ip, k.revoked_at`

	insertKey = `
	INSERT INTO identity_keys (id, workspace_id, user_id, name, hint, hash, scopes, allow, created_at, expires_at, used_ip)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`

	selectKeys = `
	SELECT ` + keyColumns + ` FROM identity_keys k
	WHERE k.workspace_id = ? AND (? = '' OR k.user_id = ?) AND (? = '' OR k.id < ?) ORDER BY k.id DESC LIMIT ?`

	selectKey = `SELECT ` + keyColumns + ` FROM identity_keys k WHERE k.workspace_id = ? AND k.id = ?`

	selectKeyByToken = `
	SELECT ` + keyColumns + `, k.hash, k.previous_hash, u.login, u.name AS user_name, w.name AS workspace_name, m.role
	FROM identity_keys k
	JOIN identity_users u ON u.id = k.user_id
	JOIN identity_members m ON m.user_id = k.user_id AND m.workspace_id = k.workspace_id
	JOIN identity_workspaces w ON w.id = k.workspace_id
	WHERE k.hash = ? OR k.previous_hash = ?`

	rotateKey = `
	UPDATE identity_keys SET previous_hash = hash, previous_until = ?, hash = ?, hint = ?, rotated_at = ?
	WHERE id = ? AND revoked_at IS NULL`

	revokeKey = `UPDATE identity_keys SET revoked_at = ?, previous_until = NULL WHERE id = ? AND revoked_at IS NULL`

	revokeKeysOf = `
	UPDATE identity_keys SET revoked_at = ?, previous_until = NULL
	WHERE workspace_id = ? AND (? = '' OR user_id = ?) AND revoked_at IS NULL`

	touchKey = `UPDATE identity_keys SET used_at = ?, used_ip = ? WHERE id = ? AND (used_at IS NULL OR used_at <= ?)`
)

// Second factor and trusted devices.
const (
	offerTOTP = `UPDATE identity_users SET totp_secret = ?, totp_step = 0, updated_at = ? WHERE id = ? AND NOT totp_on`

	enableTOTP = `
	UPDATE identity_users SET totp_on = TRUE, totp_step = ?, updated_at = ? WHERE id = ? AND NOT totp_on AND totp_secret IS NOT NULL`

	disableTOTP = `UPDATE identity_users SET totp_on = FALSE, totp_secret = NULL, totp_step = 0, updated_at = ? WHERE id = ?`

	useTOTPStep = `UPDATE identity_users SET totp_step = ? WHERE id = ? AND totp_on AND totp_step < ?`

	insertRecoveryCode = `INSERT INTO identity_recovery_codes (user_id, hash) VALUES (?, ?)`

	useRecoveryCode = `UPDATE identity_recovery_codes SET used_at = ? WHERE user_id = ? AND hash = ? AND used_at IS NULL`

	countRecoveryCodes = `SELECT count(*) FROM identity_recovery_codes WHERE user_id = ? AND used_at IS NULL`

	deleteRecoveryCodes = `DELETE FROM identity_recovery_codes WHERE user_id = ?`

	insertDevice = `
	INSERT INTO identity_devices (id, user_id, hash, ip, agent, created_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	useDevice = `UPDATE identity_devices SET seen_at = ?, ip = ?, agent = ? WHERE user_id = ? AND hash = ? AND expires_at > ?`

	countDevice = `SELECT count(*) FROM identity_devices WHERE user_id = ? AND hash = ? AND expires_at > ?`

	selectDevices = `
	SELECT id, ip, agent, created_at, seen_at, expires_at FROM identity_devices
	WHERE user_id = ? AND expires_at > ? ORDER BY seen_at DESC, id DESC`

	deleteDevice = `DELETE FROM identity_devices WHERE id = ? AND user_id = ?`

	deleteDevices = `DELETE FROM identity_devices WHERE user_id = ?`

	deleteOldDevices = `DELETE FROM identity_devices WHERE expires_at <= ?`
)

// Outside issuers.
const (
	insertOIDCState = `
	INSERT INTO identity_oidc_states (hash, browser_hash, nonce_hash, verifier, return_to, link_user, expires_at)
	VALUES (?, ?, ?, ?, ?, ?, ?)`

	takeOIDCState = `
	DELETE FROM identity_oidc_states WHERE hash = ?
	RETURNING browser_hash, nonce_hash, verifier, return_to, link_user, expires_at`

	deleteOldOIDCStates = `DELETE FROM identity_oidc_states WHERE expires_at <= ?`

	selectLink = `SELECT user_id FROM identity_links WHERE issuer = ? AND subject = ?`

	insertLink = `
	INSERT INTO identity_links (issuer, subject, user_id, email, created_at) VALUES (?, ?, ?, ?, ?)
	ON CONFLICT (issuer, subject) DO NOTHING`

	deleteLinks = `DELETE FROM identity_links WHERE user_id = ?`

	deleteKeysOfUser = `DELETE FROM identity_keys WHERE user_id = ?`
)

// The audit.
const (
	auditColumns = `workspace_id, seq, id, at, actor, actor_name, via, key_id, action, resource, result, note, before_json, after_json,
	ip, request_id, hash`

	auditWidth  = 17
	auditRow    = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertAudit = `
	INSERT INTO identity_audit (` + auditColumns + `) VALUES ` + auditRow

	// insertAudits inserts auditRowsAtOnce rows.
	auditRowsAtOnce = 8
	insertAudits    = insertAudit + fourAudits + `, ` + auditRow + `, ` + auditRow + `, ` + auditRow
	fourAudits      = `, ` + auditRow + `, ` + auditRow + `, ` + auditRow + `, ` + auditRow

	lockAuditHead = `
	UPDATE identity_audit_heads SET seq = seq WHERE workspace_id = ? RETURNING seq, hash, start_seq, start_hash`

	insertHead = `
	INSERT INTO identity_audit_heads (workspace_id, seq, hash, start_seq, start_hash) VALUES (?, 0, '', 0, '')
	ON CONFLICT (workspace_id) DO NOTHING`

	updateHead = `UPDATE identity_audit_heads SET seq = ?, hash = ? WHERE workspace_id = ?`

	moveHead = `UPDATE identity_audit_heads SET seq = ?, hash = ? WHERE workspace_id = ? AND seq = ? AND hash = ?`

	selectHead = `SELECT seq, hash, start_seq, start_hash FROM identity_audit_heads WHERE workspace_id = ?`

	auditFilter = `
	workspace_id = ? AND (? = '' OR actor = ? OR actor_name = ?) AND (? = '' OR action = ?)
	AND (? = '' OR result = ?) AND at >= ? AND at < ?`

	selectAuditDown = `SELECT ` + auditColumns + ` FROM identity_audit WHERE ` + auditFilter + ` AND seq < ? ORDER BY seq DESC LIMIT ?`

	selectAuditUp = `SELECT ` + auditColumns + ` FROM identity_audit WHERE ` + auditFilter + ` AND seq > ? ORDER BY seq LIMIT ?`

	// The history of one thing is found by its index; the join says so to a
	// planner that knows nothing yet about the rows.
	auditOfOne = `SELECT ` + auditColumns + ` FROM (SELECT workspace_id AS place, seq AS number FROM identity_audit WHERE workspace_id = ? AND resource = ?) AS of_one
	CROSS JOIN identity_audit WHERE workspace_id = place AND seq = number AND ` + auditFilter

	selectAuditOfDown = auditOfOne + ` AND number < ? ORDER BY number DESC LIMIT ?`

	selectAuditOfUp = auditOfOne + ` AND number > ? ORDER BY number LIMIT ?`

	selectAuditChain = `SELECT ` + auditColumns + ` FROM identity_audit WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`

	// selectAuditFirstKept walks from the oldest row on, through those that are to be removed at once.
	selectAuditFirstKept = `SELECT seq FROM identity_audit WHERE workspace_id = ? AND at >= ? AND seq <= ? ORDER BY seq LIMIT 1`

	selectAuditHash = `SELECT hash FROM identity_audit WHERE workspace_id = ? AND seq = ?`

	deleteAudit = `DELETE FROM identity_audit WHERE workspace_id = ? AND seq <= ?`

	updateAuditStart = `UPDATE identity_audit_heads SET start_seq = ?, start_hash = ? WHERE workspace_id = ?`
)

// Passkeys, what browsers are asked to sign, and what was confirmed with them.
const (
	passkeyColumns = `id, user_id, rp_id, name, synced, created_at, used_at, credential_id, credential`

	insertPasskey = `
	INSERT INTO identity_passkeys (id, user_id, rp_id, credential_id, name, credential, synced, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (rp_id, credential_id) DO NOTHING`

	selectPasskeys = `SELECT ` + passkeyColumns + ` FROM identity_passkeys WHERE user_id = ? ORDER BY id`

	selectPasskeysAt = `SELECT ` + passkeyColumns + ` FROM identity_passkeys WHERE user_id = ? AND rp_id = ? ORDER BY id`

	selectPasskey = `SELECT ` + passkeyColumns + ` FROM identity_passkeys WHERE id = ? AND user_id = ?`

	countPasskeysAt = `SELECT count(*) FROM (SELECT 1 FROM identity_passkeys WHERE rp_id = ? LIMIT 1) AS one`

	// Where the browser says to be now, and where it signed in: a stolen token does not get around it by another name.
	countPasskeysOf = `
	SELECT count(*) FROM identity_passkeys
	WHERE user_id = ? AND (rp_id = ? OR rp_id = (SELECT host FROM identity_sessions WHERE id = ?))`

	// How else somebody can sign in than with one passkey.
	countOtherWays = `
	SELECT (SELECT count(*) FROM identity_users WHERE id = ? AND password <> '') +
	       (SELECT count(*) FROM identity_passkeys WHERE user_id = ? AND id <> ?) +
	       (SELECT count(*) FROM identity_links WHERE user_id = ?)`

	renamePasskey = `UPDATE identity_passkeys SET name = ? WHERE id = ?`

	// Two uses of one state of the counter: the second is too late.
	usePasskey = `UPDATE identity_passkeys SET credential = ?, used_at = ? WHERE id = ? AND credential = ?`

	deletePasskey = `DELETE FROM identity_passkeys WHERE id = ?`

	deletePasskeysOf = `DELETE FROM identity_passkeys WHERE user_id = ?`

	insertChallenge = `INSERT INTO identity_challenges (hash, purpose, user_id, session_id, data, expires_at) VALUES (?, ?, ?, ?, ?, ?)`

	takeChallenge = `DELETE FROM identity_challenges WHERE hash = ? RETURNING purpose, user_id, session_id, data, expires_at`

	deleteOldChallenges = `DELETE FROM identity_challenges WHERE expires_at <= ?`

	confirmWithPasskey = `UPDATE identity_sessions SET confirmed_at = ? WHERE id = ?`

	selectConfirmed = `SELECT confirmed_at FROM identity_sessions WHERE id = ?`

	selectConfirms = `SELECT confirms FROM identity_users WHERE id = ?`

	updateConfirms = `UPDATE identity_users SET confirms = ? WHERE id = ?`
)
