package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// diary is a writer that notes what is done to it.
type diary struct {
	*httptest.ResponseRecorder
	did   []string
	until time.Time
}

func (d *diary) Write(p []byte) (int, error) {
	d.did = append(d.did, "write "+string(p))
	return d.ResponseRecorder.Write(p)
}

func (d *diary) SetReadDeadline(time.Time) error { return nil }

func (d *diary) SetWriteDeadline(t time.Time) error {
	d.did, d.until = append(d.did, "deadline"), t
	return nil
}

func TestAFirstTokenHasTimeToBeSent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		thinks time.Duration // before the first token
		want   []string
	}{
		// The server's own limit is still far away, and the next piece sets one.
		"soon": {time.Second, []string{"write a", "deadline", "write b", "write c"}},
		// The server's own limit may be over: without another nothing could be sent.
		"late": {2 * time.Minute, []string{"deadline", "write a", "write b", "write c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &diary{ResponseRecorder: httptest.NewRecorder()}
				c := &call{started: time.Now()}
				c.w = tracked{d, c}
				o := doorsAPI{}.outlet(c, "text/event-stream")
				if err := o.write(nil); err != nil || len(d.did) > 0 || c.status != 0 {
					t.Errorf("nothing was written, and it did %v with status %d, %v", d.did, c.status, err)
				}
				time.Sleep(tt.thinks)
				for _, piece := range []string{"a", "b", "c"} {
					if err := o.write([]byte(piece)); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(d.did, tt.want) {
					t.Errorf("did %v, want %v", d.did, tt.want)
				}
				if left := time.Until(d.until); left < stallLimit {
					t.Errorf("the writes have %s", left)
				}
				if c.status != http.StatusOK || d.Body.String() != "abc" {
					t.Errorf("status %d, body %q", c.status, d.Body)
				}
				time.Sleep(stallLimit + time.Second) // a pause moves it
				if err := o.write([]byte("d")); err != nil || time.Until(d.until) != 2*stallLimit {
					t.Errorf("after a pause the write has %s, %v", time.Until(d.until), err)
				}
			})
		})
	}
}

func TestAWindowFollowsTheStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w window
		defer w.release()
		for i, step := range []struct {
			came  int
			after time.Duration
			want  int
		}{
			{0, 0, pageSize},                                   // what comes with the head
			{200, 0, pieceSize},                                // one token
			{200, 100 * time.Millisecond, pieceSize},           // and another, slowly
			{pieceSize, 100 * time.Millisecond, burstSize},     // there is more
			{5000, time.Millisecond, burstSize},                // and more
			{700, 100 * time.Millisecond, pieceSize},           // it was a burst
			{200, time.Millisecond, burstSize},                 // close together
			{pieceSize + 1, 100 * time.Millisecond, pieceSize}, // a large piece of a slow stream holds nothing large
		} {
			time.Sleep(step.after)
			if got := len(w.next(step.came)); got != step.want {
				t.Errorf("step %d: after %d bytes it reads %d, want %d", i, step.came, got, step.want)
			}
		}
		early := window{burst: new([burstSize]byte)} // much is here already
		if got := len(early.next(0)); got != burstSize {
			t.Errorf("what is here is read in pieces of %d", got)
		}
		var many window
		many.next(0)
		if got := len(many.next(pieceSize + 1)); got != burstSize { // several tokens came with the head
			t.Errorf("what follows a full head is read in pieces of %d", got)
		}
	})
}
