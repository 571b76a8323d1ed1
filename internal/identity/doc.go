// Package identity knows who calls, what they may do, and what they did.
//
// In:    passwords, session tokens, API keys, second factors, passkeys, answers of an OpenID issuer; entries for the audit.
// Out:   an Identity with its permissions, carried in the context; the audit chain, to list, verify and export.
// Keeps: identity_workspaces, _users, _members, _setup, _setup_codes, _sessions, _keys, _recovery_codes, _devices, _passkeys, _challenges, _links, _oidc_states, _audit, _audit_heads.
// Says:  identity.user_added, identity.role_changed, identity.signed_in, identity.key_created and the rest of events.go, on the channel "identity". Hears: nothing.
// Not here: cookies, routes and their permissions (api); sealing of secrets (kit/seal); what a tool call may do (guard).
package identity
