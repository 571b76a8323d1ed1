package costs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Micros is an amount of money in millionths of a dollar.
type Micros int64

// Dollar is a million micros.
const Dollar Micros = 1_000_000

// String shows dollars with at least two and at most six decimals: $0.001234.
func (m Micros) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", uint64(-(m+1))+1
	}
	whole, part := n/uint64(Dollar), n%uint64(Dollar)
	decimals := strings.TrimRight(fmt.Sprintf("%06d", part), "0")
	for len(decimals) < 2 {
		decimals += "0"
	}
	return sign + "$" + grouped(whole) + "." + decimals
}

func grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Decimal is the plain number of dollars with six decimals, for files.
func (m Micros) Decimal() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", uint64(-(m+1))+1
	}
	return fmt.Sprintf("%s%d.%06d", sign, n/uint64(Dollar), n%uint64(Dollar))
}

// ParseMicros reads dollars such as 12, 12.50, $1,000.5 or -0.000001. What is
// smaller than a micro-dollar is rounded half away from zero.
func ParseMicros(text string) (Micros, error) {
	bad := fault.New(fault.Invalid, "bad_amount", "%.40q is not an amount of money.", text).WithHint("Write dollars, such as 12.50.")
	s := strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "$")
	whole, part, _ := strings.Cut(s, ".")
	if whole == "" && part == "" || strings.Trim(whole+part, "0123456789") != "" || len(whole) > 12 {
		return 0, bad
	}
	up := len(part) > 6 && part[6] >= '5'
	part = (part + "000000")[:6]
	n, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil {
		return 0, bad
	}
	if up {
		n++
	}
	if negative {
		n = -n
	}
	return Micros(n), nil
}

// Unit is what is counted.
type Unit string

// The units.
const (
	Money   Unit = "money"   // micro-dollars
	Premium Unit = "premium" // thousandths of a premium request
)

// Show writes an amount of the unit for people.
func (u Unit) Show(amount int64) string {
	if u != Premium {
		return Micros(amount).String()
	}
	text := strconv.FormatInt(amount/1000, 10)
	if part := amount % 1000; part != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%03d", max(part, -part)), "0")
	}
	return text + " premium requests"
}
