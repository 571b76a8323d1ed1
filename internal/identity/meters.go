package identity

import (
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/observe"
)

// meters count what a person who watches over the doors wants to see.
type meters struct {
	signedIn, refused, throttled observe.Count
	loaded                       observe.Count
}

func newMeters(o *observe.Observe) meters {
	tries := o.Counter("identity_sign_ins_total", "Tries to sign in.", "result")
	return meters{
		signedIn: tries.With("ok"), refused: tries.With("refused"), throttled: tries.With("throttled"),
		loaded: o.Counter("identity_credentials_loaded_total", "Session tokens and keys that were looked up in the database.").With(),
	}
}

// signIn counts how a try to sign in ended. A missing second factor is not its
// end, and troubles of our own are counted elsewhere.
func (m meters) signIn(err error) {
	switch f := fault.From(err); {
	case f == nil:
		m.signedIn.Inc()
	case f.Code == "too_many_attempts":
		m.throttled.Inc()
	case f.Code != "totp_required" && (f.Kind == fault.Unauthenticated || f.Kind == fault.Forbidden):
		m.refused.Inc()
	}
}
