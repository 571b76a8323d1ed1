package identity_test

import (
	"testing"

	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/identity/identitytest"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// What one audited change costs beyond the change itself: its row in the chain,
// durable, by one caller and by many who share commits.
func BenchmarkRecord(b *testing.B) {
	type mode struct {
		Mode string `json:"mode"`
	}
	entry := identity.Entry{Action: "system.mode", Resource: "system/mode", Before: mode{"normal"}, After: mode{"maintenance"}}
	d := identitytest.New(b, storetest.SQLite(b))
	admin := identitytest.SetUp(b, d)
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := d.Record(admin, entry); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("many", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := d.Record(admin, entry); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
