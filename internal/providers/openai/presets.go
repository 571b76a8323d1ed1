package openai

import "slices"

// Quirks are the ways in which a server differs from OpenAI's own.
type Quirks struct {
	Keyless         bool // it takes requests without a key
	OldMaxTokens    bool // max_tokens instead of max_completion_tokens
	NoStreamOptions bool // it refuses stream_options
	NoSchema        bool // json_object only, no json_schema
	NoEffort        bool // it refuses reasoning_effort
	NoParallelFlag  bool // it refuses parallel_tool_calls
	NoMetadata      bool // it refuses metadata and user
	Developer       bool // the system text has the role developer
	ReplayReasoning bool // reasoning goes back as reasoning_content in tool turns
	ReasoningObject bool // reasoning is asked for with an object (openrouter) and sealed in reasoning_details
}

// Preset is a known server.
type Preset struct {
	Name    string // the provider's name in provider/model
	Title   string
	BaseURL string
	EnvKey  string // the usual variable of its key; empty: none
	API     API
	Local   bool // it runs on this machine
	Quirks  Quirks
}

// Presets lists the known servers.
func Presets() []Preset { return slices.Clone(presets) }

// PresetFor finds a preset by name.
func PresetFor(name string) (Preset, bool) {
	for _, p := range presets {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

var presets = []Preset{
	{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", EnvKey: "OPENAI_API_KEY", API: Responses, Quirks: Quirks{Developer: true}},
	{Name: "xai", Title: "xAI Grok", BaseURL: "https://api.x.ai/v1", EnvKey: "XAI_API_KEY", API: Chat, Quirks: Quirks{NoMetadata: true}},
	{Name: "deepseek", Title: "DeepSeek", BaseURL: "https://api.deepseek.com/v1", EnvKey: "DEEPSEEK_API_KEY", API: Chat, Quirks: Quirks{OldMaxTokens: true, NoSchema: true, NoEffort: true, NoParallelFlag: true, NoMetadata: true, ReplayReasoning: true}},
	{Name: "mistral", Title: "Mistral", BaseURL: "https://api.mistral.ai/v1", EnvKey: "MISTRAL_API_KEY", API: Chat, Quirks: Quirks{OldMaxTokens: true, NoStreamOptions: true, NoEffort: true, NoMetadata: true}},
	{Name: "groq", Title: "Groq", BaseURL: "https://api.groq.com/openai/v1", EnvKey: "GROQ_API_KEY", API: Chat, Quirks: Quirks{NoMetadata: true}},
	{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", EnvKey: "OPENROUTER_API_KEY", API: Chat, Quirks: Quirks{OldMaxTokens: true, NoMetadata: true, ReasoningObject: true}},
	{Name: "together", Title: "Together", BaseURL: "https://api.together.xyz/v1", EnvKey: "TOGETHER_API_KEY", API: Chat, Quirks: Quirks{OldMaxTokens: true, NoMetadata: true, NoParallelFlag: true}},
	{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", API: Chat, Local: true, Quirks: Quirks{Keyless: true, OldMaxTokens: true, NoEffort: true, NoMetadata: true, NoParallelFlag: true}},
	{Name: "llamacpp", Title: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", API: Chat, Local: true, Quirks: Quirks{Keyless: true, OldMaxTokens: true, NoEffort: true, NoMetadata: true}},
	{Name: "vllm", Title: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", EnvKey: "VLLM_API_KEY", API: Chat, Local: true, Quirks: Quirks{Keyless: true, OldMaxTokens: true, NoMetadata: true}},
}
