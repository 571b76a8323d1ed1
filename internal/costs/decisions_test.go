package costs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at   AtLimit
		s    Standing
		next int64
		want Verdict
	}{
		"fits":                                 {Block, Standing{100, 10, 10}, 50, Allow},
		"exactly the limit still fits":         {Block, Standing{100, 40, 30}, 30, Allow},
		"one beyond, alone, goes ahead":        {Block, Standing{100, 40, 0}, 61, Allow},
		"one beyond, beside another, waits":    {Block, Standing{100, 40, 1}, 60, Wait},
		"spent is refused":                     {Block, Standing{100, 100, 0}, 1, Refuse},
		"overspent is refused":                 {Block, Standing{100, 140, 0}, 1, Refuse},
		"what is free is never refused":        {Block, Standing{100, 140, 5}, 0, Allow},
		"spent is asked about":                 {AskPerson, Standing{100, 100, 0}, 1, Ask},
		"ask waits for calls in flight":        {AskPerson, Standing{100, 99, 9}, 2, Wait},
		"spent is slowed":                      {Throttle, Standing{100, 100, 0}, 1, Wait},
		"an alert never stops":                 {Alert, Standing{100, 500, 50}, 1000, Allow},
		"a limit below any call still has one": {Block, Standing{1, 0, 0}, 1000, Allow},
		"but only one":                         {Block, Standing{1, 0, 1000}, 1000, Wait},
	} {
		if got := c.at.Judge(c.s, c.next); got != c.want {
			t.Errorf("%s: %s.Judge(%+v, %d) = %d, want %d", name, c.at, c.s, c.next, got, c.want)
		}
	}
}

func TestThrottled(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if v, _ := Throttled(Standing{Reserved: 0}, now.Add(-10*time.Second), now, 10*time.Second); v != Allow {
		t.Errorf("after the pause: %d", v)
	}
	if v, until := Throttled(Standing{}, now.Add(-4*time.Second), now, 10*time.Second); v != Wait || !until.Equal(now.Add(6*time.Second)) {
		t.Errorf("within the pause: %d until %s", v, until)
	}
	if v, _ := Throttled(Standing{Reserved: 1}, now.Add(-time.Hour), now, 10*time.Second); v != Wait {
		t.Errorf("beside another: %d", v)
	}
}

func TestCrossed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit, spent int64
		want         int
	}{{100, 0, 0}, {100, 49, 0}, {100, 50, 50}, {100, 79, 50}, {100, 80, 80}, {100, 95, 95}, {100, 99, 95}, {100, 100, 100}, {100, 300, 100}, {3, 1, 0}, {3, 2, 50}, {maxAmount, maxAmount / 2, 50}} {
		if got := crossed(DefaultThresholds, Standing{Limit: c.limit, Spent: c.spent}); got != c.want {
			t.Errorf("crossed(%d of %d) = %d, want %d", c.spent, c.limit, got, c.want)
		}
	}
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		period     Period
		zone       string
		at         string
		start, end string
	}{
		"a day":                              {Daily, "UTC", "2026-11-15T12:00:00Z", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"},
		"the first instant belongs":          {Daily, "UTC", "2026-11-15T00:00:00Z", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z"},
		"Berlin's day":                       {Daily, "Europe/Berlin", "2026-07-01T22:30:00Z", "2026-07-01T22:00:00Z", "2026-07-02T22:00:00Z"},
		"a day of 23 hours":                  {Daily, "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		"a day of 25 hours":                  {Daily, "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"midnight that does not exist":       {Daily, "America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		"the day before it":                  {Daily, "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"},
		"midnight that comes twice":          {Daily, "America/Havana", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		"the second of the two":              {Daily, "America/Havana", "2026-11-01T05:30:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		"half an hour off":                   {Daily, "Asia/Kolkata", "2026-11-15T18:29:00Z", "2026-11-14T18:30:00Z", "2026-11-15T18:30:00Z"},
		"a week begins on Monday":            {Weekly, "UTC", "2026-11-15T23:59:59Z", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z"},
		"and Monday is its own":              {Weekly, "UTC", "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"},
		"a week over the change of clocks":   {Weekly, "America/New_York", "2026-03-08T12:00:00Z", "2026-03-02T05:00:00Z", "2026-03-09T04:00:00Z"},
		"a month":                            {Monthly, "UTC", "2026-02-28T23:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		"December":                           {Monthly, "Asia/Tokyo", "2026-12-31T14:59:59Z", "2026-11-30T15:00:00Z", "2026-12-31T15:00:00Z"},
		"a leap February":                    {Monthly, "UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"},
		"a date that a country has skipped":  {Daily, "Pacific/Apia", "2011-12-31T12:00:00Z", "2011-12-31T10:00:00Z", "2012-01-01T10:00:00Z"},
		"and the day before the skipped one": {Daily, "Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		s := c.period.At(at, loc)
		if got := [2]string{s.Start.Format(time.RFC3339), s.End.Format(time.RFC3339)}; got != [2]string{c.start, c.end} {
			t.Errorf("%s: %s.At(%s) in %s = %v, want %s to %s", name, c.period, c.at, c.zone, got, c.start, c.end)
		}
		if !s.Contains(at) || s.Contains(s.End) || !s.Contains(s.Start) {
			t.Errorf("%s: the span does not hold its moment", name)
		}
	}
	if s := Total.At(time.Now(), time.UTC); !s.End.IsZero() || !s.Contains(time.Now()) {
		t.Errorf("total = %+v", s)
	}
}

func TestEveryHourIsInOnePeriod(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Asia/Beirut"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []Period{Daily, Weekly, Monthly} {
			last := p.At(time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC), loc)
			for at := last.Start; at.Year() < 2027; at = at.Add(time.Hour) {
				s := p.At(at, loc)
				if s != last && !s.Start.Equal(last.End) || !s.Contains(at) {
					t.Fatalf("%s in %s: %v does not follow %v", p, zone, s, last)
				}
				if before, ok := p.Before(s, loc); !ok || !before.End.Equal(s.Start) {
					t.Fatalf("%s in %s: before %v is %v", p, zone, s, before)
				}
				last = s
			}
		}
	}
}

func TestMicros(t *testing.T) {
	t.Parallel()
	for m, want := range map[Micros]string{
		0: "$0.00", 1: "$0.000001", 120_000: "$0.12", 1_234_560: "$1.23456", 12 * Dollar: "$12.00", -1_500_000: "-$1.50",
		1_234_567 * Dollar: "$1,234,567.00", -9223372036854775808: "-$9,223,372,036,854.775808",
	} {
		if got := m.String(); got != want {
			t.Errorf("Micros(%d) = %s, want %s", int64(m), got, want)
		}
	}
	for text, want := range map[string]Micros{
		"12": 12 * Dollar, "$1,000.5": 1000*Dollar + 500_000, "0.0000014": 1, "0.0000015": 2, "-0.000001": -1, ".5": 500_000, "3.": 3 * Dollar,
	} {
		if got, err := ParseMicros(text); err != nil || got != want {
			t.Errorf("ParseMicros(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", ".", "$", "1e5", "12,5x", "99999999999999", "--1"} {
		if m, err := ParseMicros(text); err == nil {
			t.Errorf("ParseMicros(%q) = %d", text, m)
		}
	}
	if got := Premium.Show(1330); got != "1.33 premium requests" {
		t.Errorf("Show = %s", got)
	}
}

func rates(in, out int64) rated {
	return rated{price: providers.Price{Rates: providers.Rates{Input: &in, Output: &out}}, known: true}
}

func TestCost(t *testing.T) {
	t.Parallel()
	one := func(m Micros) *Micros { return &m }
	for name, c := range map[string]struct {
		r    rated
		u    providers.Usage
		want *Micros
	}{
		"a token at 15 cents a million is a micro": {rates(150_000, 600_000), providers.Usage{Input: 1}, one(1)},
		"rounded up once, on the sum":              {rates(150_000, 600_000), providers.Usage{Input: 10, Output: 10}, one(8)},
		"exact":                                    {rates(3_000_000, 15_000_000), providers.Usage{Input: 1000, Output: 200}, one(6000)},
		"free":                                     {rates(0, 0), providers.Usage{Input: 1000, Output: 200}, one(0)},
		"not in the catalogue":                     {rated{}, providers.Usage{Input: 1000}, nil},
		"a kind without a rate":                    {rates(1, 1), providers.Usage{AudioInput: 1}, nil},
		"absurd counts do not overflow":            {rates(100_000_000, 1), providers.Usage{Input: 1 << 62}, one(maxTokens * 100)},
		"nor do negative ones pay us":              {rates(1_000_000, 1_000_000), providers.Usage{Input: -5, Output: 7}, one(7)},
	} {
		if diff := cmp.Diff(c.want, c.r.cost(c.u)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if m, ok := rates(1_000_000, 2_000_000).worst(100, 50); !ok || m < 200 {
		t.Errorf("worst = %d, %v; want at least 200", m, ok)
	}
}

func TestAllowance(t *testing.T) {
	t.Parallel()
	a := NewAllowance(Limits{Money: 100, Turns: 2}, 40, 1)
	if err := a.hold(50); err != nil {
		t.Fatal(err)
	}
	if err := a.hold(20); !fault.HasCode(err, CodeRunLimit) {
		t.Errorf("beside a call in flight: %v", err)
	}
	a.settle(50, 30)
	if err := a.hold(300); err != nil {
		t.Errorf("alone, one call may go beyond: %v", err)
	}
	a.settle(300, 30)
	if err := a.hold(1); !fault.HasCode(err, CodeRunLimit) {
		t.Errorf("spent: %v", err)
	}
	if err := a.Turn(); err != nil {
		t.Error(err)
	}
	if err := a.Turn(); !fault.HasCode(err, "run_turn_limit") {
		t.Errorf("third turn: %v", err)
	}
	var none *Allowance
	if none.hold(5) != nil || none.Turn() != nil {
		t.Error("no limits refuse nothing")
	}
}

func TestMaxOutputOf(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"max_tokens":77}`: 77, `{"max_completion_tokens": 5, "max_tokens":9}`: 9, `{"generationConfig":{"maxOutputTokens":12}}`: 12,
		`{"messages":[{"content":"say \"max_tokens\": 1"}]}`: 0, `{"max_tokens":null}`: 0, `{}`: 0, `{"max_tokens":99999999999999999999}`: 999999999999,
	} {
		if got := maxOutputOf([]byte(body)); got != want {
			t.Errorf("maxOutputOf(%s) = %d, want %d", body, got, want)
		}
	}
}

func TestAHelperSpendsItsParentsMoneyToo(t *testing.T) {
	t.Parallel()
	parent := NewAllowance(Limits{Money: 100}, 0, 0)
	helper := parent.Under(Limits{Money: 30}, 0, 0)
	if err := helper.hold(20); err != nil {
		t.Fatal(err)
	}
	if err := helper.hold(15); !fault.HasCode(err, CodeRunLimit) {
		t.Errorf("a helper held more than it may spend: %v", err)
	}
	if parent.reserved != 20 {
		t.Errorf("after a refused call the parent holds %s", parent.reserved)
	}
	helper.settle(20, 10)
	if spent, _ := parent.Spent(); spent != 10 || parent.reserved != 0 {
		t.Errorf("the parent has spent %s and holds %s", spent, parent.reserved)
	}
	if err := parent.hold(85); err != nil {
		t.Fatal(err)
	}
	if err := helper.hold(9); !fault.HasCode(err, CodeRunLimit) {
		t.Errorf("a helper held what its parent had not left: %v", err)
	}
}
