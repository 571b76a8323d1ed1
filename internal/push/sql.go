package push

const (
	insertKey = `INSERT INTO push_keys (id, public, private, created_at) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO NOTHING`

	selectKey = `SELECT private FROM push_keys WHERE id = 1`
)

const (
	subscriptionColumns = `id, user_id, session_id, name, endpoint, public, auth, created_at, sent_at, failed_at, failure`

	countAnyone = `SELECT count(*) FROM (SELECT 1 FROM push_subscriptions LIMIT 1) AS one`

	countOthers = `SELECT count(*) FROM push_subscriptions WHERE user_id = ? AND endpoint <> ?`

	// A browser that subscribes again keeps its row; one that another person signed in with changes hands.
	upsertSubscription = `
	INSERT INTO push_subscriptions (id, user_id, session_id, name, endpoint, public, auth, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (endpoint) DO UPDATE SET
	  user_id = excluded.user_id, session_id = excluded.session_id, public = excluded.public, auth = excluded.auth, failed_at = NULL, failure = '',
	  name = CASE WHEN push_subscriptions.user_id = excluded.user_id THEN push_subscriptions.name ELSE excluded.name END
	RETURNING id`

	selectSubscriptions = `SELECT ` + subscriptionColumns + ` FROM push_subscriptions ORDER BY id`

	selectOfUser = `SELECT ` + subscriptionColumns + ` FROM push_subscriptions WHERE user_id = ? ORDER BY id`

	selectSubscription = `SELECT ` + subscriptionColumns + ` FROM push_subscriptions WHERE id = ?`

	selectOlderOfSession = `SELECT ` + subscriptionColumns + ` FROM push_subscriptions WHERE session_id = ? AND endpoint <> ? ORDER BY id`

	renameSubscription = `UPDATE push_subscriptions SET name = ? WHERE id = ? AND user_id = ?`

	noteSent = `UPDATE push_subscriptions SET sent_at = ?, failed_at = NULL, failure = '' WHERE id = ?`

	noteFailed = `UPDATE push_subscriptions SET failed_at = ?, failure = ? WHERE id = ?`

	deleteSubscription = `DELETE FROM push_subscriptions WHERE id = ?`

	deleteShownOf = `DELETE FROM push_shown WHERE subscription_id = ?`
)

const (
	selectWishes = `SELECT wishes FROM push_wishes WHERE user_id = ?`

	upsertWishes = `
	INSERT INTO push_wishes (user_id, wishes, updated_at) VALUES (?, ?, ?)
	ON CONFLICT (user_id) DO UPDATE SET wishes = excluded.wishes, updated_at = excluded.updated_at`
)

const (
	insertShown = `INSERT INTO push_shown (tag, subscription_id, expires_at) VALUES (?, ?, ?) ON CONFLICT (tag, subscription_id) DO NOTHING`

	selectShown = `SELECT tag, subscription_id FROM push_shown WHERE tag >= ? AND tag <= ? ORDER BY tag, subscription_id`

	deleteShown = `DELETE FROM push_shown WHERE tag = ? AND subscription_id = ?`

	deleteOldShown = `DELETE FROM push_shown WHERE expires_at <= ?`
)
