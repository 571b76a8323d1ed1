package costs

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Method is how a forecast is made.
type Method string

// The methods.
const (
	Linear   Method = "linear"   // a straight line through all days
	Holt     Method = "holt"     // exponential smoothing of level and trend
	Ensemble Method = "ensemble" // both, the better one in the past counting more
)

// Bounds of a forecast.
const (
	minHistory = 7  // days
	maxAhead   = 92 // days
	backTests  = 30 // days that are forecast again to see how wrong we would have been
)

// Forecast is what the next days will probably cost.
type Forecast struct {
	Method  Method             `json:"method"`
	History int                `json:"history"` // days it is based on
	Days    []Predicted        `json:"days"`
	Total   Predicted          `json:"total"`
	Errors  []BackTest         `json:"errors"`            // of every method, on days that are known
	Weights map[Method]float64 `json:"weights,omitempty"` // of an ensemble
}

// Predicted is a price with the ranges that hold it in 80 and 95 of 100 cases.
type Predicted struct {
	At     time.Time `json:"at,omitzero"`
	Price  Micros    `json:"price"`
	Low80  Micros    `json:"low_80"`
	High80 Micros    `json:"high_80"`
	Low95  Micros    `json:"low_95"`
	High95 Micros    `json:"high_95"`
}

// BackTest is how wrong a method would have been, a day ahead, on known days.
type BackTest struct {
	Method   Method  `json:"method"`
	Tests    int     `json:"tests"`
	Mean     Micros  `json:"mean_error"`     // absolute, on average
	Relative float64 `json:"relative_error"` // of what those days cost; 0.1 is a tenth
}

// Forecast predicts the cost of the coming days from whole days of the past.
func (l *Ledger) Forecast(ctx context.Context, ws ids.Workspace, method Method, ahead int, zone string, q Query) (Forecast, error) {
	if ahead < 1 || ahead > maxAhead {
		return Forecast{}, fault.New(fault.Invalid, "bad_days", "A forecast is for 1 to %d days.", maxAhead).WithParam("days")
	}
	loc, err := parseZone(zone)
	if err != nil {
		return Forecast{}, err
	}
	today := Daily.At(l.now(), loc)
	q.Until = today.Start // today is not over
	if q.Since.IsZero() {
		q.Since = q.Until.AddDate(0, 0, -90)
	}
	points, err := l.Trend(ctx, ws, PerDay, zone, q)
	if err != nil {
		return Forecast{}, err
	}
	first := slices.IndexFunc(points, func(p Point) bool { return p.Calls > 0 })
	if first < 0 || len(points)-first < minHistory {
		return Forecast{}, fault.New(fault.Conflict, "too_little_history", "A forecast needs at least %d whole days since the first call.", minHistory).
			WithHint("Come back later, or look at the burn rate.")
	}
	series := make([]float64, 0, len(points)-first)
	for _, p := range points[first:] {
		series = append(series, float64(p.Price))
	}
	f, err := Predict(series, method, ahead)
	if err != nil {
		return f, err
	}
	at := today.Start
	for i := range f.Days {
		f.Days[i].At = at
		at = Daily.At(at, loc).End
	}
	return f, nil
}

// Predict forecasts a daily series. Ranges come from how wrong the method was
// when days that are known were forecast from those before them.
func Predict(series []float64, method Method, ahead int) (Forecast, error) {
	f := Forecast{Method: method, History: len(series)}
	lines, holts := backTest(series, linear), backTest(series, holt)
	var predict func([]float64, int) []float64
	switch method {
	case Linear:
		predict = linear
	case Holt:
		predict = holt
	case Ensemble:
		share := weight(lines, holts)
		f.Weights = map[Method]float64{Linear: share, Holt: 1 - share}
		predict = blend(share)
	default:
		return f, fault.New(fault.Invalid, "unknown_method", "There is no forecast by %q.", method).WithParam("method").WithHint("The methods are linear, holt and ensemble.")
	}
	errs := backTest(series, predict)
	f.Errors = []BackTest{judge(Linear, series, lines), judge(Holt, series, holts)}
	if method == Ensemble {
		f.Errors = append(f.Errors, judge(Ensemble, series, errs))
	}
	band80, band95 := spread(errs, 0.80), spread(errs, 0.95)
	sum := 0.0
	for i, v := range predict(series, ahead) {
		// Errors of a walk grow with the square root of the distance.
		grow := math.Sqrt(float64(i + 1))
		f.Days = append(f.Days, predicted(v, band80*grow, band95*grow))
		sum += math.Max(v, 0)
	}
	// Days are wrong together more often than not: the middle between errors that
	// cancel out (square root) and errors that add up.
	grow := math.Pow(float64(ahead), 0.75)
	f.Total = predicted(sum, band80*grow, band95*grow)
	return f, nil
}

func predicted(v, band80, band95 float64) Predicted {
	return Predicted{Price: micros(v), Low80: micros(v - band80), High80: micros(v + band80), Low95: micros(v - band95), High95: micros(v + band95)}
}

// micros rounds; nobody gets money back.
func micros(v float64) Micros { return Micros(math.Round(math.Max(v, 0))) }

// linear carries the straight line through a series on.
func linear(series []float64, ahead int) []float64 {
	n := float64(len(series))
	var sx, sy, sxx, sxy float64
	for i, y := range series {
		x := float64(i)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	slope := 0.0
	if d := n*sxx - sx*sx; d > 0 {
		slope = (n*sxy - sx*sy) / d
	}
	base := (sy - slope*sx) / n
	out := make([]float64, ahead)
	for i := range out {
		out[i] = math.Max(0, base+slope*(n+float64(i)))
	}
	return out
}

// holt smooths level and trend with the constants that fit the series best, and
// lets the trend fade, because spending does not grow for ever.
func holt(series []float64, ahead int) []float64 {
	best, bestErr := smoother{alpha: 0.3, beta: 0.1}, math.Inf(1)
	for _, alpha := range []float64{0.1, 0.2, 0.35, 0.5, 0.7, 0.9} {
		for _, beta := range []float64{0.01, 0.05, 0.15, 0.3} {
			s := smoother{alpha: alpha, beta: beta}
			if e := s.run(series); e < bestErr {
				best, bestErr = s, e
			}
		}
	}
	out := make([]float64, ahead)
	fade := 0.0
	for i := range out {
		fade += math.Pow(damping, float64(i+1))
		out[i] = math.Max(0, best.level+best.trend*fade)
	}
	return out
}

const damping = 0.97

type smoother struct{ alpha, beta, level, trend float64 }

// run goes through the series and answers the sum of squared errors of one step.
func (s *smoother) run(series []float64) float64 {
	s.level, s.trend = series[0], 0
	if len(series) > 1 {
		s.trend = (series[min(len(series)-1, 3)] - series[0]) / float64(min(len(series)-1, 3))
	}
	sum := 0.0
	for _, y := range series[1:] {
		guess := s.level + damping*s.trend
		sum += (y - guess) * (y - guess)
		level := s.alpha*y + (1-s.alpha)*guess
		s.trend = s.beta*(level-s.level) + (1-s.beta)*damping*s.trend
		s.level = level
	}
	return sum
}

func blend(share float64) func([]float64, int) []float64 {
	return func(series []float64, ahead int) []float64 {
		a, b := linear(series, ahead), holt(series, ahead)
		for i := range a {
			a[i] = share*a[i] + (1-share)*b[i]
		}
		return a
	}
}

// backTest forecasts each of the last days from those before it, and gives the
// errors in their order.
func backTest(series []float64, predict func([]float64, int) []float64) []float64 {
	from := max(3, len(series)-backTests)
	errs := []float64{}
	for i := from; i < len(series); i++ {
		errs = append(errs, series[i]-predict(series[:i], 1)[0])
	}
	return errs
}

// weight is the share of the first method: by the inverse of squared error.
func weight(a, b []float64) float64 {
	ea, eb := meanSquare(a), meanSquare(b)
	if ea+eb == 0 {
		return 0.5
	}
	return eb / (ea + eb)
}

func meanSquare(errs []float64) float64 {
	sum := 0.0
	for _, e := range errs {
		sum += e * e
	}
	return sum / float64(max(1, len(errs)))
}

// spread is what a share of the errors stays within, with the correction for a
// small sample that makes such a range honest.
func spread(errs []float64, share float64) float64 {
	if len(errs) == 0 {
		return 0
	}
	sizes := make([]float64, len(errs))
	for i, e := range errs {
		sizes[i] = math.Abs(e)
	}
	slices.Sort(sizes)
	at := int(math.Ceil(share*float64(len(sizes)+1))) - 1
	if at >= len(sizes) {
		return sizes[len(sizes)-1] * 1.25 // beyond what was seen
	}
	return sizes[at]
}

func judge(m Method, series, errs []float64) BackTest {
	b := BackTest{Method: m, Tests: len(errs)}
	var wrong, cost float64
	for i, e := range errs {
		wrong += math.Abs(e)
		cost += series[len(series)-len(errs)+i]
	}
	b.Mean = micros(wrong / float64(max(1, len(errs))))
	if cost > 0 {
		b.Relative = wrong / cost
	}
	return b
}
