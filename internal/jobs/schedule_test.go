package jobs

import (
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestNext(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	tests := map[string]struct{ spec, zone, after, want, code string }{
		"every day at nine in UTC":           {"0 9 * * *", "UTC", "2026-11-15T08:00:00Z", "2026-11-15T09:00:00Z", ""},
		"exactly on time waits for the next": {"0 9 * * *", "UTC", "2026-11-15T09:00:00Z", "2026-11-16T09:00:00Z", ""},
		"nine in Berlin, winter":             {"0 9 * * *", "Europe/Berlin", "2026-10-26T00:00:00Z", "2026-10-26T08:00:00Z", ""},
		"nine in Berlin, summer":             {"0 9 * * *", "Europe/Berlin", "2026-07-01T00:00:00Z", "2026-07-01T07:00:00Z", ""},
		"an hour that the clocks skip":       {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z", ""},
		"weekdays only":                      {"0 9 * * 1-5", "UTC", "2026-11-13T10:00:00Z", "2026-11-16T09:00:00Z", ""},
		"every quarter of an hour":           {"@every 15m", "UTC", "2026-11-15T08:00:00Z", "2026-11-15T08:15:00Z", ""},
		"a day that never comes":             {"0 0 30 2 *", "UTC", "2026-11-15T08:00:00Z", "", "bad_cron"},
		"nonsense":                           {"often", "UTC", "2026-11-15T08:00:00Z", "", "bad_cron"},
		"an unknown zone":                    {"@daily", "Mars/Olympus", "2026-11-15T08:00:00Z", "", "unknown_time_zone"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Next(tt.spec, tt.zone, at(tt.after))
			if tt.code != "" {
				if !fault.HasCode(err, tt.code) {
					t.Errorf("Next = %v, %v; want %s", got, err, tt.code)
				}
				return
			}
			if err != nil || !got.Equal(at(tt.want)) {
				t.Errorf("Next = %v, %v; want %s", got, err, tt.want)
			}
		})
	}
}
