package config

// Value is one setting as people see it.
type Value struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // secrets hidden
	Default string `json:"default"`
	Origin  Origin `json:"origin"`
	Live    bool   `json:"live"` // a change needs no restart
	Secret  bool   `json:"secret,omitempty"`
	Type    Type   `json:"type"`
	Env     string `json:"env"`
	Doc     string `json:"doc"`
}

// Values lists every setting with where it came from.
func (l *Loaded) Values() []Value {
	fields := Fields()
	out := make([]Value, len(fields))
	for i, f := range fields {
		out[i] = Value{
			Key: f.Path, Value: f.Show(&l.Config), Default: f.Default, Origin: l.Origins[f.Path],
			Live: f.Live, Secret: f.Secret, Type: f.Type, Env: f.Env, Doc: f.Doc,
		}
	}
	return out
}
