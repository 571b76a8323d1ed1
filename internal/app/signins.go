package app

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/copilot"
)

// pendingSignIn is a sign-in that waits for a person at GitHub.
type pendingSignIn struct {
	workspace ids.Workspace
	device    copilot.Device
}

// BeginSignIn asks GitHub for a code to show.
func (m *models) BeginSignIn(ctx context.Context, ws ids.Workspace, provider string) (api.SignInCode, error) {
	v, err := m.vendor(provider)
	if err != nil {
		return api.SignInCode{}, err
	}
	if provider != copilot.Vendor {
		return api.SignInCode{}, fault.New(fault.Invalid, "no_sign_in", "%s has no sign-in with a code.", v.Title).WithParam("provider").WithHint("Store a key instead.")
	}
	device, err := m.opts.GitHub.Begin(ctx)
	if err != nil {
		return api.SignInCode{}, err
	}
	id := rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	for old, p := range m.signIns {
		if time.Now().After(p.device.Expires) {
			delete(m.signIns, old)
		}
	}
	m.signIns[id] = pendingSignIn{ws, device}
	return api.SignInCode{SignIn: id, Code: device.UserCode, URL: device.VerifyURL, Expires: device.Expires}, nil
}

// PollSignIn waits as long as GitHub wants between two questions, asks once, and
// stores the account if the person is done.
func (m *models) PollSignIn(ctx context.Context, ws ids.Workspace, provider, id string) (api.SignInState, error) {
	if _, err := m.vendor(provider); err != nil {
		return api.SignInState{}, err
	}
	m.mu.RLock()
	p, ok := m.signIns[id]
	m.mu.RUnlock()
	if !ok || p.workspace != ws || provider != copilot.Vendor || time.Now().After(p.device.Expires) {
		return api.SignInState{}, fault.New(fault.NotFound, "sign_in_not_found", "There is no such sign-in, or its code has expired.").
			WithParam("signin").WithHint("Begin again.")
	}
	waiting, cancel := context.WithTimeoutCause(ctx, p.device.Interval*19/10, errPending)
	defer cancel()
	token, err := m.opts.GitHub.Wait(waiting, p.device)
	if errors.Is(err, errPending) || (err != nil && errors.Is(context.Cause(waiting), errPending)) {
		return api.SignInState{}, nil
	}
	m.mu.Lock()
	delete(m.signIns, id)
	m.mu.Unlock()
	if err != nil {
		return api.SignInState{}, err
	}
	name, err := m.freeName(ctx, ws, api.NewAccount{Provider: provider})
	if err != nil {
		return api.SignInState{}, err
	}
	stored, err := m.opts.Keeper.Add(ctx, ws, providers.NewAccount{Provider: provider, Name: name, Type: providers.AccountGitHub, Secret: token})
	if err != nil {
		return api.SignInState{}, err
	}
	m.forget(ws)
	account := storedAccount(stored, providers.AccountStatus{})
	return api.SignInState{Done: true, Account: &account}, nil
}
