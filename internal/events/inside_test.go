package events

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	opts := &Options{StallTime: 30 * time.Second, LagTime: 5 * time.Second, CloseLag: 1000}
	tests := map[string]struct {
		stalled time.Duration
		lag     int64
		known   bool
		close   bool
	}{
		"just blocked":                          {0, 10, true, false},
		"blocked for long":                      {30 * time.Second, 0, true, true},
		"exactly at the limit":                  {6 * time.Second, 1000, true, false},
		"over the limit":                        {5 * time.Second, 1001, true, true},
		"overtaken by a burst":                  {4 * time.Second, 1 << 40, true, false},
		"still replaying, so the lag says less": {29 * time.Second, 1 << 40, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := judge(tt.stalled, tt.lag, tt.known, opts); (err != nil) != tt.close {
				t.Errorf("judge(%s, %d, %t) = %v, want close: %t", tt.stalled, tt.lag, tt.known, err, tt.close)
			}
		})
	}
}

func TestKindsAreNamed(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]bool{
		"guard.refused": true, "costs.budget_spent": true, "a.b2": true,
		"": false, "refused": false, "guard.": false, ".refused": false, "Guard.refused": false, "a.b.c": false, "guard.re-fused": false, "2a.b": false,
	} {
		if got := checkKind(kind); got != want {
			t.Errorf("checkKind(%q) = %t, want %t", kind, got, want)
		}
	}
}

func TestTheClassOfAPattern(t *testing.T) {
	t.Parallel()
	classes, err := compile([]Class{{Name: "output", Channels: []string{"runs/*/output"}}, {Name: "runs", Channels: []string{"runs/**"}}, {Name: "rest", Channels: []string{"**"}}})
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{classes: classes}
	tests := map[string][]string{ // pattern: the classes it can meet
		"runs/1/output": {"output", "gone"},
		"runs/*":        {"runs", "gone"},
		"runs/**":       {"output", "runs", "gone"},
		"jobs":          {"rest", "gone"},
		"*/1/output":    {"output", "runs", "rest", "gone"},
		"**":            {"output", "runs", "rest", "gone"},
	}
	for text, want := range tests {
		p, err := ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"output", "runs", "rest", "gone"} {
			if h.touches(name, p) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// The small table forgets, but never answers wrongly.
func TestVerdictsAreTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var v verdicts
		for _, id := range rapid.SliceOfN(rapid.Uint64Range(1, 3000), 0, 5000).Draw(t, "ids") {
			want := id%3 == 0
			if got, known := v.get(id); known && got != want {
				t.Fatalf("verdict of %d is %t", id, got)
			} else if !known {
				v.put(id, want)
			}
			if got, known := v.get(id); !known || got != want {
				t.Fatalf("verdict of %d right after put: %t, %t", id, got, known)
			}
		}
		if len(v.slots) > maxVerdicts {
			t.Errorf("%d slots", len(v.slots))
		}
	})
}

func TestWireComesBackAsItWent(t *testing.T) {
	t.Parallel()
	at := time.UnixMicro(1_700_000_000_000_001).UTC()
	ms := []message{
		{cursor: 7, channel: "jobs", kind: "jobs.started", at: at, data: []byte(`{"n":1}`)},
		{channel: "runs/1", kind: "runs.typed", at: at, data: []byte(`{"text":"x"}`)},
	}
	wire, n := appendWire(nil, ms, 1<<20)
	got, err := parseWire(wire)
	if n != 2 || err != nil {
		t.Fatalf("%d messages, %v", n, err)
	}
	if diff := cmp.Diff(ms, got, cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("messages differ (-want +got):\n%s", diff)
	}
	wire, n = appendWire(nil, ms, 60)
	if got, err := parseWire(wire); n != 1 || err != nil || len(got) != 1 || got[0].cursor != 7 {
		t.Errorf("with room for one: %d, %+v, %v", n, got, err)
	}
	wire, n = appendWire(nil, ms, 20)
	if got, err := parseWire(wire); n != 1 || err != nil || got[0].cursor != 7 || len(got[0].data) != 0 {
		t.Errorf("without room for one a hint is sent: %d, %+v, %v", n, got, err)
	}
}

func FuzzParseWire(f *testing.F) {
	wire, _ := appendWire(nil, []message{{cursor: 7, channel: "jobs", kind: "jobs.started", at: time.UnixMicro(5), data: []byte(`{"n":1}`)}}, 1<<20)
	f.Add(wire)
	f.Add([]byte{wireVersion, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, wire []byte) {
		ms, err := parseWire(wire)
		if err != nil {
			return
		}
		for i := range ms {
			if len(ms[i].data) == 0 {
				continue
			}
			if text := appendEnvelope(nil, &ms[i], false); !json.Valid(text) {
				t.Errorf("%q was accepted and makes %s", wire, text)
			}
		}
	})
}

func TestHideKeepsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"password=", "token: ", `api_key="`, "Bearer ", "postgres://u:"}).Draw(t, "lure") +
			rapid.String().Draw(t, "text")
		data, err := json.Marshal(map[string]any{"password": text, "n": 1, "list": []any{text, map[string]any{"secret": text}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := hide(data); !json.Valid(got) {
			t.Errorf("%s became %s", data, got)
		}
	})
}

func TestSegmentsFramesAreWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 50, 124, 125, 126, 200, 65_000, 65_535, 65_536, 70_000} {
		m := message{cursor: 1 << 62, channel: "jobs", kind: "jobs.said", at: now(), data: append(append([]byte{'"'}, make([]byte, size)...), '"')}
		for i := range m.data[1 : size+1] {
			m.data[i+1] = 'x'
		}
		g := &segment{data: make([]byte, 0, envelopeRoom(&m)+maxHeader+20)}
		if !g.fits(&m) {
			t.Fatalf("a message of %d bytes does not fit its own room", size)
		}
		n := newStream(&Hub{}, "ws").names
		room := cap(g.data)
		g.add(&n, &m, 0)
		if cap(g.data) != room {
			t.Errorf("the segment moved for %d bytes", size)
		}
		e := g.index[0]
		want := string(Frame(appendEnvelope(nil, &m, false)))
		if got := string(g.data[e.off : e.off+e.size]); got != want {
			t.Errorf("frame of %d bytes differs", size)
		}
		if text := g.delivery(&e).JSON; !json.Valid(text) {
			t.Errorf("JSON of %d bytes: %.80s", size, text)
		}
	}
}
