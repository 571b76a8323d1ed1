package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
)

// Device is a browser that may skip the second factor.
type Device struct {
	ID        ids.Device `json:"id" db:"id"`
	IP        string     `json:"ip" db:"ip"`
	Agent     string     `json:"agent" db:"agent"`
	CreatedAt time.Time  `json:"created_at" db:"created_at"`
	SeenAt    time.Time  `json:"seen_at" db:"seen_at"`
	ExpiresAt time.Time  `json:"expires_at" db:"expires_at"`
}

// Devices lists the browsers the caller trusts, the last seen first.
func (d *Directory) Devices(ctx context.Context) ([]Device, error) {
	id, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	return store.All[Device](ctx, d.db.Read(), selectDevices, id.User, d.now())
}

// RevokeDevice stops trusting one of the caller's browsers.
func (d *Directory) RevokeDevice(ctx context.Context, device ids.Device) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, deleteDevice, device, id.User)
		if err != nil {
			return fmt.Errorf("removing device %s: %w", device, err)
		}
		if n == 0 {
			return fault.New(fault.NotFound, "device_not_found", "There is no such device of yours.").WithHint("List your devices.")
		}
		return d.Audit(ctx, tx, Entry{Action: "account.revoke_device", Resource: "devices/" + string(device)})
	})
}

// RevokeDevices stops trusting all of the caller's browsers.
func (d *Directory) RevokeDevices(ctx context.Context) error {
	id, err := caller(ctx)
	if err != nil {
		return err
	}
	return d.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, deleteDevices, id.User); err != nil {
			return fmt.Errorf("removing the devices of %s: %w", id.User, err)
		}
		return d.Audit(ctx, tx, Entry{Action: "account.revoke_devices", Resource: "users/" + string(id.User)})
	})
}

func (d *Directory) trust(ctx context.Context, tx *store.Tx, user ids.User, token string) error {
	origin, now := OriginOf(ctx), d.stamp()
	_, err := tx.Exec(ctx, insertDevice, ids.New[ids.Device](), user, digestOf(token).String(), origin.ip(), origin.agent(), now, now,
		now.Add(d.opts.DeviceTrust))
	return err
}

func (d *Directory) knowsDevice(ctx context.Context, user ids.User, token string) (bool, error) {
	n, err := store.One[int](ctx, d.db.Read(), countDevice, user, digestOf(token).String(), d.now())
	return n > 0, err
}
