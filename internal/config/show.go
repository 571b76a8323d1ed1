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
	var out []Value
	for _, leaf := range leaves(&l.Config) {
		f := leaf.field
		origin, ok := l.Origins[leaf.path]
		if !ok {
			origin = Origin{Source: FromDefault}
		}
		out = append(out, Value{
			Key: leaf.path, Value: f.show(leaf.value), Default: f.Default, Origin: origin,
			Live: f.Live, Secret: f.Secret, Type: f.Type, Env: f.Env, Doc: f.Doc,
		})
	}
	return out
}
