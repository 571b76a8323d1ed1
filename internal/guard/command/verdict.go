package command

import "fmt"

// Verdict is what may happen to a command; a larger one is stricter.
type Verdict int

// The verdicts.
const (
	Allow  Verdict = iota // run it
	Warn                  // run it, and say what it does
	Ask                   // a person decides
	Refuse                // do not run it
)

var verdictNames = [...]string{"allow", "warn", "ask", "refuse"}

// String is the verdict's word.
func (v Verdict) String() string {
	if v < Allow || v > Refuse {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// MarshalText writes the verdict's word.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the verdict's word.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no verdict; it is allow, warn, ask or refuse", text)
}

// Severity is how bad it is when the command was a mistake.
type Severity int

// The severities; a rule has one of the last four.
const (
	None     Severity = iota
	Low               // a file or two, easily made again
	Medium            // something one wants to know before
	High              // work is lost, or others are affected
	Critical          // a machine, a database or a history is lost
)

var severityNames = [...]string{"none", "low", "medium", "high", "critical"}

// String is the severity's word.
func (s Severity) String() string {
	if s < None || s > Critical {
		return fmt.Sprintf("severity(%d)", int(s))
	}
	return severityNames[s]
}

// MarshalText writes the severity's word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the severity's word.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, name := range severityNames {
		if name == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no severity; it is low, medium, high or critical", text)
}

// verdict is what a rule of this severity says unless it says otherwise.
func (s Severity) verdict() Verdict {
	switch s {
	case None:
		return Allow
	case Low:
		return Warn
	case Medium:
		return Ask
	}
	return Refuse
}
