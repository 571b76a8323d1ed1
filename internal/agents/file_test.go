package agents_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fluxway/fluxway/internal/agents"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/store/storetest"
)

// What is exported comes back as it was, in both notations.
func TestExportAndBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newTeam(t, db)
		w.create("ops", `{"title":"Ops: \"quoted\"","description":"a: b # c","instructions":"One.\n\n- two\n  three\n","persona":"- dry",
			"params":{"temperature":0.25,"max_tokens":7,"effort":"high"},"tools":{"allow":["git_*","*__x"],"deny":["*commit"]},"helpers":["coder"],
			"memory":{"recall":true,"remember":false,"knowledge":["handbook"]},"limits":{"turns":3,"time_ns":90000000000,"money_micros":2500000,"window":4},"users":["mira"],"hue":"teal"}`)
		before := w.get("ops")
		file, err := w.Export(w.ctx, w.ws, "ops", "assistant")
		if err != nil || len(file.Agents) != 2 {
			t.Fatalf("Export: %+v (%v)", file, err)
		}
		asYAML, err := file.YAML()
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		for notation, text := range map[string][]byte{"YAML": asYAML, "JSON": asJSON} {
			there := newTeam(t, db)
			got, err := there.Import(there.ctx, there.ws, text, agents.ImportOptions{Replace: true})
			if err != nil {
				t.Fatalf("%s: %v\n%s", notation, err, text)
			}
			if len(got.NotUnderstood) != 0 || got.Agents[0].Outcome != agents.OutCreated || got.Agents[1].Outcome != agents.OutSame {
				t.Errorf("%s: imported %+v\n%s", notation, got, text)
			}
			after := there.get("ops")
			after.UpdatedAt = before.UpdatedAt
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s: %s\n%s", notation, diff, text)
			}
		}
	})
}

func TestImport(t *testing.T) {
	t.Parallel()
	w := newTeam(t, storetest.SQLite(t))
	const text = "agents:\n  - name: ops\n    instructions: Go.\n  - name: coder\n    colour: red\n"
	_, err := w.Import(w.ctx, w.ws, []byte(text), agents.ImportOptions{})
	wantCode(t, "over a preset", err, "agent_exists")
	if slices.Contains(w.names(), "ops") {
		t.Error("half a file was taken over")
	}
	dry, err := w.Import(w.ctx, w.ws, []byte(text), agents.ImportOptions{Replace: true, DryRun: true})
	if err != nil || dry.Agents[0].Outcome != agents.OutCreated || dry.Agents[1].Outcome != agents.OutChanged || slices.Contains(w.names(), "ops") {
		t.Errorf("a dry run gave %+v (%v)", dry, err)
	}
	if want := []agents.Note{{Agent: "coder", Field: "colour", Message: "Agents have no such field."}}; !slices.Equal(dry.NotUnderstood, want) {
		t.Errorf("not understood: %+v", dry.NotUnderstood)
	}
	done, err := w.Import(w.ctx, w.ws, []byte(text), agents.ImportOptions{Replace: true})
	if err != nil || done.Agents[0].Version != 1 || w.get("ops").Instructions != "Go." {
		t.Errorf("imported %+v (%v)", done, err)
	}
	for name, bad := range map[string]string{
		"nothing":             " ",
		"not a table":         "hello",
		"an empty list":       "agents: []",
		"a number":            "agents: 7",
		"half JSON":           `{"agents":[{"name":`,
		"two of a name":       "agents: [{name: a1}, {name: a1}]",
		"aliases":             "a: &a [1]\nagents: [*a]",
		"a list of texts":     "agents: [one]",
		"deep":                "agents: " + strings.Repeat("[", 3000),
		"a bad name":          "agents: [{name: A B}]",
		"a wrong type":        "agents: [{name: a1, limits: {turns: many}}]",
		"a bad value":         "agents: [{name: a1, params: {temperature: 9}}]",
		"too many":            "agents:\n" + strings.Repeat("  - name: x\n", 300),
		"a tab and a control": "agents:\n\t- \x01",
	} {
		_, err := w.Import(w.ctx, w.ws, []byte(bad), agents.ImportOptions{})
		if f := fault.From(err); err == nil || f.Kind != fault.Invalid || f.Param == "" || f.Hint == "" {
			t.Errorf("%s: %+v, want a refusal that helps", name, f)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		want  string // the definition's fields
		style agents.Style
		notes []string // fields that were not understood
	}{
		"Fluxmaster": {
			style: agents.StyleFluxmaster,
			text: `{"agents":{"defaults":{"maxTokens":8192,"temperature":0.7},"list":[{"id":"Code Agent","model":"claude-sonnet-4","systemPrompt":"You code.",
				"tools":["read_file","search_files","delegate_to_agent"],"temperature":0.1,"mcpServers":[{"name":"GitHub"}],"personaRef":"dry","retries":3}]},
				"personas":{"dry":{"identity":{"name":"Ada","role":"engineer"},"soul":{"coreTraits":["calm","exact"]},"autonomy":{}}},
				"security":{"agentPermissions":{"Code Agent":{"denylist":["run_command"]}}},"budgets":{}}`,
			want: `{"name":"code-agent","title":"Code Agent","model":"anthropic/claude-sonnet-4","instructions":"You code.","params":{"temperature":0.1,"max_tokens":8192},
				"tools":{"allow":["github__*","glob","read_file"],"deny":["run_command"]},"helpers":["*"],"persona":"Name: Ada\nRole: engineer\nTraits: calm, exact"}`,
			notes: []string{"budgets", "mcpServers", "persona.autonomy", "retries"},
		},
		"Fluxmaster with all tools": {
			style: agents.StyleFluxmaster,
			text:  `agents: {list: [{id: all, model: gpt-4o, systemPrompt: "file:prompts/all.md", tools: []}]}`,
			want:  `{"name":"all","title":"all","model":"openai/gpt-4o","tools":{"allow":["*"],"deny":[]},"helpers":["*"]}`,
			notes: []string{"systemPrompt"},
		},
		"MUXI": {
			style: agents.StyleMUXI,
			text: "name: Weather Helper\ndescription: Knows the weather.\nsystem_message: Be exact.\nmodel:\n  provider: openai\n  model: gpt-4o-mini\n  api_key: ${OPENAI_API_KEY}\n  temperature: 0.3\n" +
				"memory:\n  buffer: 5\n  long_term: false\nmcp_servers:\n  - name: weather\n    url: http://localhost:5001\nknowledge:\n  - name: climate\n    path: ./x.md\nmood: sunny\n",
			want: `{"name":"weather-helper","title":"Weather Helper","description":"Knows the weather.","instructions":"Be exact.","model":"openai/gpt-4o-mini","params":{"temperature":0.3},
				"tools":{"allow":["weather__*"],"deny":[]},"memory":{"recall":false,"remember":false,"knowledge":["climate"]}}`,
			notes: []string{"knowledge", "mcp_servers", "memory.buffer", "model.api_key", "mood"},
		},
		"MUXI today": {
			style: agents.StyleMUXI,
			text:  "schema: '1.0.0'\nid: writer\nname: Writer\nsystem_message: |\n  Write.\n  Well, ${NAME}.\nllm_models:\n  - text: anthropic/claude-haiku-5-5\n    settings: {max_tokens: 500}\n  - vision: openai/gpt-4o\nspecialties: [prose]\n",
			want:  `{"name":"writer","title":"Writer","instructions":"Write.\nWell, ${NAME}.","model":"anthropic/claude-haiku-5-5","params":{"max_tokens":500},"tools":{"allow":[],"deny":[]}}`,
			notes: []string{"", "llm_models", "specialties"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTeam(t, storetest.SQLite(t))
			got, err := w.Import(w.ctx, w.ws, []byte(tt.text), agents.ImportOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, n := range got.NotUnderstood {
				fields = append(fields, n.Field)
			}
			slices.Sort(fields)
			if !slices.Equal(fields, tt.notes) || got.Agents[0].Style != tt.style {
				t.Errorf("notes about %q, style %s; want %q, %s", fields, got.Agents[0].Style, tt.notes, tt.style)
			}
			want := agents.Agent{
				Driver: "native", Memory: agents.Memory{Recall: true, Remember: true}, Helpers: []string{}, Origin: agents.FromWorkspace, Version: 1,
			}
			want.Tools.Deny = []string{}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			is := w.get(want.Name)
			want.UpdatedAt = is.UpdatedAt
			if diff := cmp.Diff(want, is); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte("agents: [{name: a1, limits: {time: 3m, money: 2.5}}]"))
	f.Add([]byte(`{"agents":{"list":[{"id":"a","persona":{"soul":{"coreTraits":[1]}}}]}}`))
	f.Add([]byte("name: x\nmodel: {provider: openai}\nmemory: [1]\nllm_models: [7]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		drafts, _, err := agents.ParseFile(text)
		if err != nil && fault.From(err).Kind != fault.Invalid {
			t.Fatalf("%q: %v", text, err)
		}
		for _, d := range drafts {
			if !json.Valid(d.Fields) {
				t.Fatalf("%q gives %q", text, d.Fields)
			}
		}
	})
}
