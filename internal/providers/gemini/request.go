package gemini

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
)

type generateRequest struct {
	Contents          []content         `json:"contents"`
	SystemInstruction *content          `json:"systemInstruction,omitempty"`
	Tools             []tools           `json:"tools,omitempty"`
	ToolConfig        *toolConfig       `json:"toolConfig,omitempty"`
	GenerationConfig  *generationConfig `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text             *string           `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	FileData         *fileData         `json:"fileData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
}

type blob struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type fileData struct {
	MimeType string `json:"mimeType,omitempty"`
	FileURI  string `json:"fileUri"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type functionResponse struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

type tools struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

// declaration uses parametersJsonSchema, which takes plain JSON Schema.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type toolConfig struct {
	FunctionCallingConfig callingConfig `json:"functionCallingConfig"`
}

type callingConfig struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitempty"`
}

type generationConfig struct {
	MaxOutputTokens    int64           `json:"maxOutputTokens,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
	TopP               *float64        `json:"topP,omitempty"`
	StopSequences      []string        `json:"stopSequences,omitempty"`
	ResponseMimeType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	ThinkingConfig     *thinkingConfig `json:"thinkingConfig,omitempty"`
}

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int64 `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

func build(req *providers.Request) (*generateRequest, error) {
	out := &generateRequest{Contents: []content{}}
	if parts := textParts(req.System); len(parts) > 0 {
		out.SystemInstruction = &content{Parts: parts}
	}
	names := map[string]string{} // of the calls, by id: a response must repeat the name
	for i := range req.Messages {
		msg := &req.Messages[i]
		role := "user"
		if msg.Role == providers.RoleModel {
			role = "model"
		}
		var parts []part
		for j := range msg.Parts {
			parts = append(parts, toParts(&msg.Parts[j], names)...)
		}
		if len(parts) == 0 {
			continue
		}
		if n := len(out.Contents); n > 0 && out.Contents[n-1].Role == role {
			out.Contents[n-1].Parts = append(out.Contents[n-1].Parts, parts...)
			continue
		}
		out.Contents = append(out.Contents, content{Role: role, Parts: parts})
	}
	out.addTools(req)
	out.GenerationConfig = config(req)
	return out, nil
}

func textParts(parts []providers.Part) []part {
	var out []part
	for i := range parts {
		if parts[i].Text != "" {
			out = append(out, part{Text: &parts[i].Text})
		}
	}
	return out
}

func toParts(p *providers.Part, names map[string]string) []part {
	switch p.Kind {
	case providers.PartText:
		if p.Text == "" {
			return nil
		}
		return []part{{Text: &p.Text, ThoughtSignature: own(p)}}
	case providers.PartReasoning:
		return nil // summaries are not taken back; the seal travels on the call
	case providers.PartToolCall:
		names[p.ID] = p.Name
		return []part{{FunctionCall: &functionCall{ID: wireID(p.ID), Name: p.Name, Args: objectArgs(p.Args)}, ThoughtSignature: own(p)}}
	case providers.PartToolResult:
		return result(p, names)
	}
	if p.URL != "" {
		return []part{{FileData: &fileData{MimeType: p.MediaType, FileURI: p.URL}}}
	}
	return []part{{InlineData: &blob{MimeType: p.MediaType, Data: p.Data}}}
}

func own(p *providers.Part) string {
	if p.SignedBy(Vendor) {
		return p.Signature
	}
	return ""
}

// localID marks ids that we made because the vendor gave none; they are not
// sent back.
const localID = "gem_"

func wireID(id string) string {
	if strings.HasPrefix(id, localID) {
		return ""
	}
	return id
}

func result(p *providers.Part, names map[string]string) []part {
	key := "output"
	if p.IsError {
		key = "error"
	}
	name := p.Name
	if known, ok := names[p.ID]; ok {
		name = known
	}
	parts := []part{{FunctionResponse: &functionResponse{ID: wireID(p.ID), Name: name, Response: map[string]any{key: p.ResultText()}}}}
	for i := range p.Parts {
		if p.Parts[i].Kind != providers.PartText {
			parts = append(parts, toParts(&p.Parts[i], names)...)
		}
	}
	return parts
}

func objectArgs(args json.RawMessage) json.RawMessage {
	if strings.HasPrefix(strings.TrimSpace(string(args)), "{") {
		return args
	}
	return nil
}

func (r *generateRequest) addTools(req *providers.Request) {
	if len(req.Tools) == 0 {
		return
	}
	var t tools
	for _, tool := range req.Tools {
		t.FunctionDeclarations = append(t.FunctionDeclarations, declaration{tool.Name, tool.Description, tool.Schema})
	}
	r.Tools = []tools{t}
	switch req.ToolChoice.Mode {
	case providers.ToolNone:
		r.ToolConfig = &toolConfig{callingConfig{Mode: "NONE"}}
	case providers.ToolRequired:
		r.ToolConfig = &toolConfig{callingConfig{Mode: "ANY"}}
	case providers.ToolNamed:
		r.ToolConfig = &toolConfig{callingConfig{Mode: "ANY", Allowed: []string{req.ToolChoice.Name}}}
	}
}

func config(req *providers.Request) *generationConfig {
	c := &generationConfig{MaxOutputTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP, StopSequences: req.Stop, ThinkingConfig: think(req)}
	if req.Format != nil {
		c.ResponseMimeType, c.ResponseJSONSchema = "application/json", req.Format.Schema
	}
	return c
}

var modelMajor = regexp.MustCompile(`gemini-(\d+)`)

// takesLevel says whether a model takes a thinking level (Gemini 3 and later)
// where earlier ones take a budget.
func takesLevel(model string) bool {
	match := modelMajor.FindStringSubmatch(model)
	if match == nil {
		return false
	}
	major, _ := strconv.Atoi(match[1]) // digits by the pattern
	return major >= 3
}

func think(req *providers.Request) *thinkingConfig {
	r := req.Reasoning
	if r.Effort == "" && r.Budget == 0 {
		return nil
	}
	if takesLevel(req.Model) && r.Budget == 0 {
		level := map[providers.Effort]string{providers.EffortNone: "minimal", providers.EffortMinimal: "minimal", providers.EffortLow: "low", providers.EffortMedium: "medium"}[r.Effort]
		if level == "" {
			level = "high"
		}
		return &thinkingConfig{IncludeThoughts: r.Wanted(), ThinkingLevel: level}
	}
	budget := r.Tokens()
	return &thinkingConfig{IncludeThoughts: r.Wanted(), ThinkingBudget: &budget}
}
