package providers

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func catalogue(t *testing.T, overrides ...Entry) *Catalogue {
	t.Helper()
	c, err := NewCatalogue(overrides)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rate(n int64) *int64 { return &n }

func TestShippedCatalogueIsSane(t *testing.T) {
	t.Parallel()
	all := catalogue(t).All()
	if len(all) < 40 {
		t.Fatalf("%d models", len(all))
	}
	for _, e := range all {
		if e.Name == "" || len(e.Can) == 0 {
			t.Errorf("%s lacks a name or capabilities", e.ID)
		}
		for _, p := range e.Prices {
			if p.Input == nil || *p.Input < 0 || *p.Input > 100_000_000 {
				t.Errorf("%s: input price %v", e.ID, p.Input)
			}
			if p.CacheRead != nil && *p.CacheRead > *p.Input || p.Output != nil && *p.Output < *p.Input {
				t.Errorf("%s: a cached token costs more than a fresh one, or output less than input", e.ID)
			}
			if p.Long != nil && p.Long.Input != nil && *p.Long.Input <= *p.Input {
				t.Errorf("%s: a long prompt is not dearer", e.ID)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	for id, want := range map[string]string{
		"anthropic/claude-sonnet-4-5":          "anthropic/claude-sonnet-4-5",
		"anthropic/claude-sonnet-4-5-20250929": "anthropic/claude-sonnet-4-5",
		"openai/gpt-5-2025-08-07":              "openai/gpt-5",
		"mistral/mistral-large-2512":           "mistral/mistral-large-latest",
		"ollama/llama3.3:70b":                  "ollama/llama3.3:70b",
		"ollama/gpt-oss:120b-cloud":            "",
		"openai/gpt-5-codex-next":              "",
		"vllm/anything":                        "",
		"nonsense":                             "",
	} {
		got, ok := c.Find(id)
		if ok != (want != "") || got.ID != want {
			t.Errorf("Find(%s) = %q, %v; want %q", id, got.ID, ok, want)
		}
	}
	local, _ := c.Find("ollama/llama3.3:70b")
	price, _ := local.PriceAt(time.Now())
	if cost, known := price.Cost(Usage{Input: 5, Output: 5, Reasoning: 5, CacheRead: 5}); cost != 0 || !known {
		t.Errorf("a local model costs %d, known %v", cost, known)
	}
}

func TestPricesChangeOnTheirDay(t *testing.T) {
	t.Parallel()
	e, ok := catalogue(t).Find("openai/gpt-5.6-terra")
	if !ok {
		t.Fatal("not found")
	}
	for day, want := range map[string]int64{"2026-07-29": 2_500_000, "2026-07-30": 2_000_000, "2026-11-15": 2_000_000} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.PriceAt(at); !ok || *p.Input != want {
			t.Errorf("on %s input costs %v, want %d", day, p.Input, want)
		}
	}
	if _, ok := (&Entry{Prices: []Price{{From: Day{time.Now().Add(time.Hour)}}}}).PriceAt(time.Now()); ok {
		t.Error("a price of the future is in force")
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	p := Price{Rates: Rates{Input: rate(3_000_000), CacheRead: rate(300_000), Output: rate(15_000_000)},
		Long: &LongRates{Above: 200_000, Rates: Rates{Input: rate(6_000_000), Output: rate(22_500_000)}}}
	for name, tt := range map[string]struct {
		u     Usage
		want  int64
		known bool
	}{
		"a sum of kinds":                    {Usage{Input: 1000, CacheRead: 10_000, Output: 200, Reasoning: 100}, 3000 + 3000 + 3000 + 1500, true},
		"one token is never nothing":        {Usage{CacheRead: 1}, 1, true},
		"nothing is nothing":                {Usage{}, 0, true},
		"exactly the limit is not long":     {Usage{Input: 200_000}, 600_000, true},
		"a long prompt changes every rate":  {Usage{Input: 200_001, Output: 1000}, 1_200_006 + 22_500, true},
		"an unknown kind makes it unknown":  {Usage{Input: 1, AudioInput: 1}, 0, false},
		"unknown in the long tier too":      {Usage{Input: 200_000, CacheRead: 1}, 0, false},
		"an image is input unless told":     {Usage{ImageInput: 100_000}, 300_000, true},
		"a premium request costs no tokens": {Usage{PremiumMilli: 1000}, 0, true},
	} {
		if got, known := p.Cost(tt.u); got != tt.want || known != tt.known {
			t.Errorf("%s: Cost(%+v) = %d, %v; want %d, %v", name, tt.u, got, known, tt.want, tt.known)
		}
	}
}

func TestOverridesAndRefresh(t *testing.T) {
	t.Parallel()
	c := catalogue(t, Entry{ID: "openai/gpt-5", Context: 7, Prices: []Price{{Rates: Rates{Input: rate(1)}}}}, Entry{ID: "mine/own", Name: "Mine"})
	check := func() {
		t.Helper()
		e, _ := c.Find("openai/gpt-5")
		p, _ := e.PriceAt(time.Now())
		if e.Context != 7 || *p.Input != 1 || p.Output != nil {
			t.Errorf("the override is lost: %+v", e)
		}
		if _, ok := c.Find("mine/own"); !ok {
			t.Error("the own model is lost")
		}
	}
	check()
	body := `{"models":[{"id":"openai/gpt-5","name":"Fresh","context":99,"prices":[{"from":"2026-01-02","input":5}]}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ok" {
			w.WriteHeader(http.StatusTeapot)
		}
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	if err := c.LoadURL(t.Context(), server.Client(), server.URL+"/ok"); err != nil {
		t.Fatal(err)
	}
	check()
	if e, _ := c.Find("openai/gpt-5"); e.Name != "Fresh" || len(c.All()) != 2 {
		t.Errorf("not refreshed: %+v of %d", e, len(c.All()))
	}
	if err := c.LoadURL(t.Context(), server.Client(), server.URL+"/bad"); err == nil {
		t.Error("an error page was loaded")
	}
	file := filepath.Join(t.TempDir(), "models.json")
	for text, ok := range map[string]bool{body: true, `{"models":[]}`: false, `{"models":[{"id":"noslash"}]}`: false, `{`: false, `{"models":[{"id":"a/b"},{"id":"a/b"}]}`: false, `{"models":[{"id":"a/b","prices":[{"from":"soon"}]}]}`: false} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := c.LoadFile(file)
		if (err == nil) != ok || (err != nil && !fault.HasCode(err, "catalogue_invalid")) {
			t.Errorf("LoadFile(%s) = %v", text, err)
		}
	}
	check()
}

func TestDayInJSON(t *testing.T) {
	t.Parallel()
	var p Price
	const text = `{"from":"2026-07-30","input":5,"long":{"above":10,"output":7}}`
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(p)
	if err != nil || string(back) != text {
		t.Errorf("%s, %v", back, err)
	}
	if b, err := json.Marshal(Price{}); err != nil || strings.Contains(string(b), "from") {
		t.Errorf("%s, %v", b, err)
	}
	if diff := cmp.Diff(2026, p.From.Year()); diff != "" {
		t.Error(diff)
	}
}
