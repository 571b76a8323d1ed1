package costs

import "github.com/fluxway/fluxway/internal/kit/spool"

// entryKind is the first byte of an entry in the journal and says what it tells.
type entryKind byte

const (
	entryBegun entryKind = 1
	entryEnded entryKind = 2
)

// note writes the change to the journal.
func (o *op) note(j *spool.Spool) (err error) {
	o.leaf, err = j.Add(func(entry []byte) []byte {
		if o.reserve != nil {
			return appendRecord(append(entry, byte(entryBegun)), &o.reserve.rec)
		}
		return appendSettling(append(entry, byte(entryEnded)), o.settle)
	})
	return err
}
