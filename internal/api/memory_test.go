package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/api/apitest"
	"github.com/fluxway/fluxway/internal/events"
	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/memory"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// TestMemoryOverHTTP lists, adds, edits, finds and deletes what is known, kind by kind, and looks at it as others.
func TestMemoryOverHTTP(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := apitest.New(t, db)
		factsOverHTTP(t, w)
		graphOverHTTP(t, w)
		profileOverHTTP(t, w)
		knowledgeOverHTTP(t, w)
		everythingOverHTTP(t, w)
	})
}

type factAnswer struct {
	ID, Text, State, Outcome, Replaces string
	Pinned                             bool
}

type found struct {
	Data []struct {
		ID, Kind, Text, Title string
		Source                struct {
			Path string
			Line int
		}
		Explain *struct{ Words, Weight float64 }
	}
}

func kinds(f found) map[string]int {
	m := map[string]int{}
	for _, one := range f.Data {
		m[one.Kind]++
	}
	return m
}

func factsOverHTTP(t *testing.T, w *apitest.World) {
	const facts = "/api/v1/memory/facts"
	var first, second factAnswer
	w.Operator.Do(t, "POST", facts, `{"text":"My office is in Turin"}`).Must(t, 201, &first)
	w.Operator.Do(t, "POST", facts, `{"text":"My office is in Genoa"}`).Must(t, 201, &second)
	if second.Outcome != "replaced" || second.Replaces != first.ID {
		t.Errorf("a newer fact: %+v", second)
	}
	w.Operator.Do(t, "POST", facts, `{"text":"my office is in GENOA!"}`).Must(t, 201, &first)
	if first.Outcome != "merged" || first.ID != second.ID {
		t.Errorf("the same once more: %+v", first)
	}
	w.Operator.Do(t, "POST", facts, `{"text":"hello there"}`).Fails(t, 400, "fact_junk")
	w.Operator.Do(t, "POST", facts, `{"text":"My password is hunter2"}`).Fails(t, 400, "fact_sensitive")
	w.Operator.Do(t, "POST", facts, `{"text":"x is y","scope":"project"}`).Fails(t, 400, "missing_project")
	w.Nobody.Do(t, "GET", facts, nil).Fails(t, 401, "credentials_required")
	w.Viewer.Do(t, "POST", facts, `{"text":"Viewers write nothing down"}`).Fails(t, 403, "forbidden")
	one := facts + "/" + second.ID
	w.Operator.Do(t, "PATCH", one, `{"text":"My office is in Bari","pinned":true}`).Must(t, 200, &first)
	if first.Text != "My office is in Bari" || !first.Pinned {
		t.Errorf("after an edit: %+v", first)
	}
	var list struct{ Data []factAnswer }
	w.Operator.Do(t, "GET", one+"/history", nil).Must(t, 200, &list)
	if len(list.Data) != 1 || list.Data[0].Text != "My office is in Turin" || list.Data[0].State != "past" {
		t.Errorf("history = %+v", list)
	}
	for name, c := range map[string]apitest.Client{"a colleague": w.Admin, "someone elsewhere": w.Foreign} {
		c.Do(t, "GET", one, nil).Fails(t, 404, "fact_not_found")
		c.Do(t, "PATCH", one, `{"pinned":false}`).Fails(t, 404, "fact_not_found")
		c.Do(t, "DELETE", one, nil).Fails(t, 404, "fact_not_found")
		var seen found
		c.Do(t, "GET", "/api/v1/memory/search?query=office+Bari&explain=true", nil).Must(t, 200, &seen)
		if len(seen.Data) != 0 {
			t.Errorf("%s finds %+v", name, seen)
		}
	}
	w.Operator.Do(t, "GET", facts+"?pinned=true&scope=user", nil).Must(t, 200, &list)
	if len(list.Data) != 1 || list.Data[0].ID != second.ID {
		t.Errorf("pinned = %+v", list)
	}
	var unsure factAnswer
	w.Operator.Do(t, "POST", facts, `{"text":"The ferry leaves at noon","confidence":0.3}`).Must(t, 201, &unsure)
	w.Operator.Do(t, "GET", "/api/v1/memory/review", nil).Must(t, 200, &list)
	if unsure.Outcome != "queued" || len(list.Data) != 1 {
		t.Errorf("queued %+v, to review %+v", unsure, list)
	}
	w.Operator.Do(t, "POST", "/api/v1/memory/review/"+unsure.ID+"/accept", nil).Must(t, 200, &unsure)
	w.Operator.Do(t, "DELETE", facts+"/"+unsure.ID, nil).Must(t, 204, nil)
	w.Operator.Do(t, "GET", facts+"/"+unsure.ID, nil).Fails(t, 404, "fact_not_found")
}

func graphOverHTTP(t *testing.T, w *apitest.World) {
	const graph = "/api/v1/memory/graph"
	w.Operator.Do(t, "POST", graph+"/entities", `{"entities":[{"name":"Atlas","entityType":"project","observations":["maps the harbour"]},{"name":"Borealis","entityType":"project","observations":[]},{"name":"Cygnus","entityType":"server","observations":[]}]}`).Must(t, 201, nil)
	w.Operator.Do(t, "POST", graph+"/relations", `{"relations":[{"from":"Atlas","to":"Borealis","relationType":"depends on"},{"from":"Borealis","to":"Cygnus","relationType":"runs on"}]}`).Must(t, 201, nil)
	w.Operator.Do(t, "POST", graph+"/observations", `{"observations":[{"entityName":"Borealis","contents":["paints the lights"]}]}`).Must(t, 201, nil)
	w.Operator.Do(t, "PATCH", graph+"/entities", `{"name":"Borealis","new_name":"Aurora","entity_type":"service"}`).Must(t, 200, nil)
	w.Operator.Do(t, "PATCH", graph+"/entities", `{"name":"Aurora","new_name":"Atlas"}`).Fails(t, 409, "entity_exists")
	w.Operator.Do(t, "PATCH", graph+"/entities", `{"name":"Nobody","new_name":"X"}`).Fails(t, 404, "entity_not_found")
	var g memory.Graph
	names := func() string {
		var list []string
		for _, n := range g.Entities {
			list = append(list, n.Name)
		}
		for _, r := range g.Relations {
			list = append(list, r.From+" "+r.RelationType+" "+r.To)
		}
		return strings.Join(list, ", ")
	}
	for path, want := range map[string]string{
		"/neighbourhood?name=Atlas&depth=1": "Atlas, Aurora, Atlas depends on Aurora, Aurora runs on Cygnus",
		"/neighbourhood?name=Atlas&depth=2": "Atlas, Aurora, Cygnus, Atlas depends on Aurora, Aurora runs on Cygnus",
		"/search?query=paints":              "Aurora, Atlas depends on Aurora, Aurora runs on Cygnus",
		"/nodes?names=Cygnus":               "Cygnus, Aurora runs on Cygnus",
		"":                                  "Atlas, Aurora, Cygnus, Atlas depends on Aurora, Aurora runs on Cygnus",
	} {
		g = memory.Graph{}
		w.Operator.Do(t, "GET", graph+path, nil).Must(t, 200, &g)
		if got := names(); got != want {
			t.Errorf("%s gives %s, want %s", path, got, want)
		}
	}
	w.Admin.Do(t, "GET", graph, nil).Must(t, 200, &g)
	if len(g.Entities) != 0 {
		t.Errorf("a colleague sees %s", names())
	}
	w.Operator.Do(t, "DELETE", graph+"/observations", `{"observations":[{"entityName":"Aurora","contents":["paints the lights"]}]}`).Must(t, 204, nil)
	w.Operator.Do(t, "DELETE", graph+"/relations", `{"relations":[{"from":"Aurora","to":"Cygnus","relationType":"runs on"}]}`).Must(t, 204, nil)
	w.Operator.Do(t, "DELETE", graph+"/entities", `{"names":["Cygnus","Aurora"]}`).Must(t, 204, nil)
	w.Operator.Do(t, "GET", graph, nil).Must(t, 200, &g)
	if got := names(); got != "Atlas" {
		t.Errorf("left are %s", got)
	}
}

func profileOverHTTP(t *testing.T, w *apitest.World) {
	const profile = "/api/v1/memory/profile"
	type merge struct{ Added, Updated, Deleted []string }
	var got merge
	w.Operator.Do(t, "PATCH", profile, `{"fields":{"name":"Otto","address":{"city":"Bari","zip":"70121"}}}`).Must(t, 200, &got)
	if diff := cmp.Diff(merge{[]string{"address.city", "address.zip", "name"}, []string{}, []string{}}, got); diff != "" {
		t.Error(diff)
	}
	w.Operator.Do(t, "PATCH", profile, `{"fields":{"address":{"city":"Lecce","zip":null},"instrument":"zither"}}`).Must(t, 200, &got)
	if diff := cmp.Diff(merge{[]string{"instrument"}, []string{"address.city"}, []string{"address.zip"}}, got); diff != "" {
		t.Error(diff)
	}
	w.Operator.Do(t, "PATCH", profile, `{"fields":{"api_key":"x"}}`).Fails(t, 400, "fact_sensitive")
	var there struct{ Fields map[string]any }
	w.Operator.Do(t, "GET", profile, nil).Must(t, 200, &there)
	if diff := cmp.Diff(map[string]any{"name": "Otto", "instrument": "zither", "address": map[string]any{"city": "Lecce"}}, there.Fields); diff != "" {
		t.Error(diff)
	}
	w.Admin.Do(t, "GET", profile, nil).Must(t, 200, &there)
	if len(there.Fields) != 3 && len(there.Fields) != 0 {
		t.Errorf("a colleague sees %v", there.Fields)
	}
}

func knowledgeOverHTTP(t *testing.T, w *apitest.World) {
	const sources = "/api/v1/knowledge/sources"
	sub, err := w.Hub.Subscribe(t.Context(), events.Request{Workspace: w.Workspace, Channels: []string{memory.Channel}})
	if err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context, id string) {
		t.Helper()
		for {
			batch, err := sub.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range batch.Deliveries {
				if d.Kind == "memory.source_indexed" && strings.Contains(string(d.JSON), id) {
					return
				}
			}
		}
	}
	var s struct{ ID, Title, State, Kind string }
	w.Operator.Do(t, "POST", sources, `{"text":"# Lighthouse\n\nThe lamp turns twice a minute.\n"}`).Must(t, 201, &s)
	read(t.Context(), s.ID)
	if s.Kind != "text" || s.Title != "Lighthouse" {
		t.Errorf("%+v", s)
	}
	w.Operator.Do(t, "POST", sources, `{"location":"/etc/passwd"}`).Fails(t, 403, "path_not_allowed")
	w.Operator.Do(t, "POST", sources, `{"location":"notes.md"}`).Fails(t, 400, "path_not_absolute")
	w.Viewer.Do(t, "POST", sources, `{"text":"x y z"}`).Fails(t, 403, "forbidden")
	var hits found
	w.Viewer.Do(t, "GET", "/api/v1/knowledge/search?query=lamp+turns&explain=true", nil).Must(t, 200, &hits)
	if len(hits.Data) != 1 || hits.Data[0].Source.Line != 1 || hits.Data[0].Explain == nil {
		t.Errorf("found %+v", hits)
	}
	one := sources + "/" + s.ID
	w.Foreign.Do(t, "GET", one, nil).Fails(t, 404, "source_not_found")
	w.Foreign.Do(t, "DELETE", one, nil).Fails(t, 404, "source_not_found")
	w.Operator.Do(t, "PATCH", one, `{"title":"Beacon","text":"The horn sounds in fog."}`).Must(t, 200, &s)
	read(t.Context(), s.ID)
	w.Operator.Do(t, "GET", one, nil).Must(t, 200, &s)
	hits = found{}
	w.Operator.Do(t, "GET", "/api/v1/knowledge/search?query=horn", nil).Must(t, 200, &hits)
	if s.Title != "Beacon" || s.State != "ready" || len(hits.Data) != 1 {
		t.Errorf("%+v, found %+v", s, hits)
	}
	var files struct {
		Data []struct{ Path, State string }
	}
	w.Operator.Do(t, "GET", one+"/files", nil).Must(t, 200, &files)
	if len(files.Data) != 1 || files.Data[0].State != "ready" {
		t.Errorf("files = %+v", files)
	}
	w.Operator.Do(t, "POST", one+"/reindex", `{"everything":true}`).Must(t, 200, nil)
	read(t.Context(), s.ID)
	var list struct{ Data []struct{ ID string } }
	w.Operator.Do(t, "GET", sources, nil).Must(t, 200, &list)
	if len(list.Data) != 1 {
		t.Errorf("sources = %+v", list)
	}
}

// everythingOverHTTP looks for one word in everything that is known, then has it all forgotten.
func everythingOverHTTP(t *testing.T, w *apitest.World) {
	w.Operator.Do(t, "POST", "/api/v1/memory/facts", `{"text":"The zither is tuned in fifths"}`).Must(t, 201, nil)
	w.Operator.Do(t, "POST", "/api/v1/memory/graph/entities", `{"entities":[{"name":"zither","entityType":"instrument","observations":["has forty strings"]}]}`).Must(t, 201, nil)
	var all found
	w.Operator.Do(t, "POST", "/api/v1/memory/search", `{"query":"zither","explain":true}`).Must(t, 200, &all)
	if diff := cmp.Diff(map[string]int{"fact": 1, "entity": 1, "profile": 1}, kinds(all)); diff != "" {
		t.Errorf("%+v\n%s", all, diff)
	}
	var docs found
	w.Operator.Do(t, "POST", "/api/v1/memory/search", `{"query":"horn in fog","kinds":["knowledge"]}`).Must(t, 200, &docs)
	if len(docs.Data) != 1 {
		t.Errorf("found %+v", docs)
	}
	w.Operator.Do(t, "POST", "/api/v1/memory/search", `{"query":"x","kinds":["dream"]}`).Fails(t, 400, "unknown_kind")
	w.Operator.Do(t, "GET", "/api/v1/memory/search", nil).Fails(t, 400, "required")
	export := w.Operator.Do(t, "GET", "/api/v1/memory/export", nil)
	if lines := strings.Count(string(export.Body), "\n"); export.Status != 200 || lines < 4 {
		t.Errorf("the export has %d lines", lines)
	}
	var imported memory.Imported
	w.Admin.Do(t, "POST", "/api/v1/memory/import", map[string]string{"lines": string(export.Body) + "{\"text\":\"hi\"}\n"}).Must(t, 200, &imported)
	if imported.Facts[memory.Added] == 0 || len(imported.Refused) != 1 {
		t.Errorf("imported %+v", imported)
	}
	otto := ""
	var users struct {
		Data []struct{ ID, User string }
	}
	w.Admin.Do(t, "GET", "/api/v1/users", nil).Must(t, 200, &users)
	for _, u := range users.Data {
		if u.User == "otto" {
			otto = u.ID
		}
	}
	w.Viewer.Do(t, "DELETE", "/api/v1/memory/users/"+otto, nil).Fails(t, 403, "forbidden")
	w.Operator.Do(t, "DELETE", "/api/v1/memory/users/"+otto, nil).Fails(t, 403, "forbidden") // a key speaks for no account
	if err := w.Memory.ForgetUser(t.Context(), memory.Owner{Workspace: w.Workspace, User: ids.User(otto)}); err != nil {
		t.Fatal(err)
	}
	all = found{}
	w.Operator.Do(t, "POST", "/api/v1/memory/search", `{"query":"zither","kinds":["entity","profile","turn"]}`).Must(t, 200, &all)
	if len(all.Data) != 0 {
		t.Errorf("after all was forgotten: %+v", all)
	}
}
