package config

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration written with units down from weeks: 30d, 1h30m, 500ms.
type Duration time.Duration

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// durationPattern and bytesPattern are also in the schema.
const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h|d|w))+$`
	bytesPattern    = `^[0-9]+(\.[0-9]+)? ?(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$`
)

var (
	durationShape = regexp.MustCompile(durationPattern)
	durationPart  = regexp.MustCompile(`([0-9.]+)(ms|s|m|h|d|w)`)
	bytesShape    = regexp.MustCompile(bytesPattern)
)

// ParseDuration reads a duration such as 30d or 1h30m.
func ParseDuration(s string) (Duration, error) {
	if len(s) > 100 || !durationShape.MatchString(s) {
		return 0, errors.New("is not a duration such as 30s, 15m, 12h or 30d")
	}
	units := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": day, "w": week}
	var sum float64
	for _, part := range durationPart.FindAllStringSubmatch(s, -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, errors.New("is not a duration such as 30s, 15m, 12h or 30d")
		}
		sum += n * float64(units[part[2]])
	}
	if sum >= math.MaxInt64 {
		return 0, errors.New("is longer than can be counted")
	}
	return Duration(sum), nil
}

// Std is the duration as the standard library has it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes the duration with the fewest units: 30d, 1h30m.
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := time.Duration(d)
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"d", day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if n := rest / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			rest -= n * u.size
		}
	}
	if b.Len() == 0 {
		return time.Duration(d).String()
	}
	return b.String()
}

// MarshalText is String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is ParseDuration.
func (d *Duration) UnmarshalText(b []byte) (err error) {
	*d, err = ParseDuration(string(b))
	return err
}

// Dollars is an amount of money, written as 1.25; one that is not given is not zero.
type Dollars struct {
	Micros int64
	Given  bool
}

// dollarsPattern is also in the schema.
const dollarsPattern = `^[0-9]{1,9}(\.[0-9]{1,6})?$`

var dollarsShape = regexp.MustCompile(dollarsPattern)

// ParseDollars reads an amount such as 1.25, exact to a millionth.
func ParseDollars(s string) (Dollars, error) {
	if !dollarsShape.MatchString(s) {
		return Dollars{}, errors.New("is not an amount such as 3 or 0.25")
	}
	whole, part, _ := strings.Cut(s, ".")
	micros, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
	if err != nil {
		return Dollars{}, errors.New("is not an amount such as 3 or 0.25")
	}
	return Dollars{Micros: micros, Given: true}, nil
}

// String writes the amount as briefly as it can be; nothing if none is given.
func (d Dollars) String() string {
	if !d.Given {
		return ""
	}
	text := strconv.FormatInt(d.Micros/1e6, 10)
	if rest := d.Micros % 1e6; rest != 0 {
		part := strconv.FormatInt(1e6+rest, 10)[1:]
		text += "." + strings.TrimRight(part, "0")
	}
	return text
}

// Decimal is a number with a part behind the point, exact to a millionth; one
// that is not given is not zero.
type Decimal struct {
	Micros int64
	Given  bool
}

// String writes the number as briefly as it can be; nothing if none is given.
func (d Decimal) String() string { return Dollars(d).String() }

// Bytes is a size, written as 10MB (a million bytes each) or 10MiB (1024 x 1024).
type Bytes int64

var byteUnits = []struct {
	name string
	size int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12}, {"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3}, {"B", 1},
}

// ParseBytes reads a size such as 10MB, or a plain number of bytes.
func ParseBytes(s string) (Bytes, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		return Bytes(n), nil
	}
	if len(s) > 100 || !bytesShape.MatchString(s) {
		return 0, errors.New("is not a size such as 512KB, 10MB or 1GiB")
	}
	for _, u := range byteUnits {
		number, found := strings.CutSuffix(s, u.name)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || n*float64(u.size) >= math.MaxInt64 {
			return 0, errors.New("is larger than can be counted")
		}
		return Bytes(n * float64(u.size)), nil
	}
	return 0, errors.New("is not a size such as 512KB, 10MB or 1GiB")
}

// Int64 is the number of bytes.
func (b Bytes) Int64() int64 { return int64(b) }

// String writes the size in the largest unit that divides it.
func (b Bytes) String() string {
	for _, u := range byteUnits {
		if b != 0 && int64(b)%u.size == 0 {
			return strconv.FormatInt(int64(b)/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// MarshalText is String.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText is ParseBytes.
func (b *Bytes) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBytes(string(text))
	return err
}
