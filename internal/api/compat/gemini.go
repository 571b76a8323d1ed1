package compat

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fluxway/fluxway/internal/providers"
)

// Gemini is Google's generateContent. Model and streaming are in the address,
// so its Head reads nothing.
type Gemini struct{}

// Name names the dialect.
func (Gemini) Name() providers.Dialect { return providers.DialectGemini }

// Vendor is whose dialect it is.
func (Gemini) Vendor() string { return "gemini" }

// Head only checks that the body is an object.
func (Gemini) Head(body []byte) (Head, error) {
	return Head{}, head(body, func(string, []byte) error { return nil })
}

// The vendor takes both spellings of every name; we take both where its own
// documents use both.
type geminiRequest struct {
	Contents      []geminiContent `json:"contents"`
	System        *geminiContent  `json:"systemInstruction"`
	SystemToo     *geminiContent  `json:"system_instruction"`
	Tools         []geminiTools   `json:"tools"`
	ToolConfig    *geminiToolConf `json:"toolConfig"`
	ToolConfigToo *geminiToolConf `json:"tool_config"`
	Config        *geminiConfig   `json:"generationConfig"`
	ConfigToo     *geminiConfig   `json:"generation_config"`
	CachedContent string          `json:"cachedContent"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text             *string       `json:"text"`
	Thought          bool          `json:"thought"`
	ThoughtSignature string        `json:"thoughtSignature"`
	InlineData       *geminiBlob   `json:"inlineData"`
	InlineDataToo    *geminiBlob   `json:"inline_data"`
	FileData         *geminiFile   `json:"fileData"`
	FileDataToo      *geminiFile   `json:"file_data"`
	FunctionCall     *geminiCall   `json:"functionCall"`
	FunctionResponse *geminiResult `json:"functionResponse"`
}

type geminiBlob struct {
	MimeType    string `json:"mimeType"`
	MimeTypeToo string `json:"mime_type"`
	Data        string `json:"data"`
	Name        string `json:"displayName"`
}

type geminiFile struct {
	MimeType    string `json:"mimeType"`
	MimeTypeToo string `json:"mime_type"`
	URI         string `json:"fileUri"`
	URIToo      string `json:"file_uri"`
}

type geminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResult struct {
	ID       string                     `json:"id"`
	Name     string                     `json:"name"`
	Response map[string]json.RawMessage `json:"response"`
}

type geminiTools struct {
	Declarations    []geminiFunction           `json:"functionDeclarations"`
	DeclarationsToo []geminiFunction           `json:"function_declarations"`
	Others          map[string]json.RawMessage `json:"-"`
}

// UnmarshalJSON notes tools that only Google can run.
func (t *geminiTools) UnmarshalJSON(b []byte) error {
	type plain geminiTools
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &t.Others); err != nil {
		return err
	}
	delete(t.Others, "functionDeclarations")
	delete(t.Others, "function_declarations")
	return nil
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
}

type geminiToolConf struct {
	Calling *struct {
		Mode    string   `json:"mode"`
		Allowed []string `json:"allowedFunctionNames"`
	} `json:"functionCallingConfig"`
}

type geminiConfig struct {
	MaxOutputTokens  int64           `json:"maxOutputTokens"`
	Temperature      *float64        `json:"temperature"`
	TopP             *float64        `json:"topP"`
	StopSequences    []string        `json:"stopSequences"`
	CandidateCount   int64           `json:"candidateCount"`
	ResponseMimeType string          `json:"responseMimeType"`
	ResponseSchema   json.RawMessage `json:"responseSchema"`
	JSONSchema       json.RawMessage `json:"responseJsonSchema"`
	Modalities       []string        `json:"responseModalities"`
	Thinking         *struct {
		Include bool   `json:"includeThoughts"`
		Budget  *int64 `json:"thinkingBudget"`
		Level   string `json:"thinkingLevel"`
	} `json:"thinkingConfig"`
}

// Request decodes a body; the caller sets the model.
func (Gemini) Request(body []byte) (*providers.Request, error) {
	var in geminiRequest
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	if in.CachedContent != "" {
		return nil, untranslatable("cachedContent", "Content that Google keeps cannot be shown to another vendor's model.").WithHint("Send the content itself.")
	}
	req := &providers.Request{}
	for _, s := range []*geminiContent{in.System, in.SystemToo} {
		if s == nil {
			continue
		}
		for _, p := range s.Parts {
			if p.Text != nil {
				req.System = append(req.System, providers.Text(*p.Text))
			}
		}
	}
	for _, c := range []*geminiConfig{in.Config, in.ConfigToo} {
		if err := c.into(req); err != nil {
			return nil, err
		}
	}
	if err := in.tools(req); err != nil {
		return nil, err
	}
	r := geminiReader{thread: newThread(req)}
	for i := range in.Contents {
		if err := r.content(&in.Contents[i], "contents["+strconv.Itoa(i)+"]"); err != nil {
			return nil, err
		}
	}
	return req, r.check("contents")
}

func (c *geminiConfig) into(req *providers.Request) error {
	if c == nil {
		return nil
	}
	if c.CandidateCount > 1 {
		return untranslatable("generationConfig.candidateCount", "This model gives one answer at a time.").WithHint("Leave candidateCount out, or send the request several times.")
	}
	for _, m := range c.Modalities {
		if !strings.EqualFold(m, "TEXT") {
			return untranslatable("generationConfig.responseModalities", "This model answers with text only.")
		}
	}
	req.MaxTokens, req.Temperature, req.TopP, req.Stop = c.MaxOutputTokens, c.Temperature, c.TopP, c.StopSequences
	if c.ResponseMimeType == "application/json" {
		req.Format = &providers.Format{Schema: c.JSONSchema, Strict: len(c.JSONSchema) > 0}
		if len(c.ResponseSchema) > 0 && len(c.JSONSchema) == 0 {
			schema, err := plainSchema(c.ResponseSchema)
			if err != nil {
				return err
			}
			req.Format.Schema, req.Format.Strict = schema, true
		}
	}
	if t := c.Thinking; t != nil {
		switch {
		case t.Level != "":
			level, err := effort(strings.ToLower(t.Level))
			if err != nil {
				return err
			}
			req.Reasoning.Effort = level
		case t.Budget != nil && *t.Budget == 0:
			req.Reasoning.Effort = providers.EffortNone
		case t.Budget != nil && *t.Budget > 0:
			req.Reasoning.Budget = *t.Budget
		case t.Budget != nil || t.Include: // -1: as the model likes
			req.Reasoning.Effort = providers.EffortMedium
		}
	}
	return nil
}

func (in *geminiRequest) tools(req *providers.Request) error {
	for i := range in.Tools {
		t := &in.Tools[i]
		for name := range t.Others {
			return untranslatable("tools["+strconv.Itoa(i)+"]."+name, "The tool %q is run by Google and cannot be given to another vendor's model.", name).
				WithHint("Offer functions of your own, or choose a model of Google.")
		}
		for _, f := range append(t.Declarations, t.DeclarationsToo...) {
			schema := f.JSONSchema
			if len(schema) == 0 && len(f.Parameters) > 0 {
				var err error
				if schema, err = plainSchema(f.Parameters); err != nil {
					return err
				}
			}
			req.Tools = append(req.Tools, providers.Tool{Name: f.Name, Description: f.Description, Schema: schema})
		}
	}
	conf := in.ToolConfig
	if conf == nil {
		conf = in.ToolConfigToo
	}
	if conf == nil || conf.Calling == nil {
		return nil
	}
	switch strings.ToUpper(conf.Calling.Mode) {
	case "NONE":
		req.ToolChoice.Mode = providers.ToolNone
	case "ANY":
		req.ToolChoice.Mode = providers.ToolRequired
		if len(conf.Calling.Allowed) == 1 {
			req.ToolChoice.Mode, req.ToolChoice.Name = providers.ToolNamed, conf.Calling.Allowed[0]
		}
	}
	return nil
}

// plainSchema turns Google's schema (types in capitals, nullable) into JSON Schema.
func plainSchema(schema json.RawMessage) (json.RawMessage, error) {
	var v any
	if err := decode(schema, &v); err != nil {
		return nil, err
	}
	return encode(plainNode(v)), nil
}

func plainNode(v any) any {
	node, ok := v.(object)
	if !ok {
		return v
	}
	out := make(object, len(node))
	for key, value := range node {
		switch key {
		case "type":
			if text, ok := value.(string); ok {
				value = strings.ToLower(text)
			}
			out[key] = value
		case "nullable", "propertyOrdering":
		case "properties", "$defs", "defs":
			inner, _ := value.(object)
			all := make(object, len(inner))
			for name, p := range inner {
				all[name] = plainNode(p)
			}
			out[key] = all
		case "items", "additionalProperties":
			out[key] = plainNode(value)
		case "anyOf", "oneOf", "allOf":
			list, _ := value.([]any)
			all := make([]any, len(list))
			for i := range list {
				all[i] = plainNode(list[i])
			}
			out[key] = all
		default:
			out[key] = value
		}
	}
	if nullable, _ := node["nullable"].(bool); nullable {
		if kind, ok := out["type"].(string); ok {
			out["type"] = []any{kind, "null"}
		}
	}
	return out
}

// geminiReader turns contents into messages. Calls often have no ids here, and
// results then belong to the first unanswered call of their name.
type geminiReader struct {
	*thread
	calls int
	open  []geminiOpen
}

type geminiOpen struct{ id, name string }

func (r *geminiReader) content(c *geminiContent, at string) error {
	role := providers.RoleUser
	switch c.Role {
	case "user", "function", "":
	case "model":
		role = providers.RoleModel
	default:
		return bad(at+".role", "There is no role %q.", c.Role).WithHint("Use user or model.")
	}
	for i := range c.Parts {
		p, err := r.part(&c.Parts[i], at+".parts["+strconv.Itoa(i)+"]")
		if err != nil {
			return err
		}
		if !r.merge(role, &p) {
			r.add(role, p)
		}
	}
	return nil
}

// merge joins a thought that came in pieces: the seal of the last is for all.
func (r *geminiReader) merge(role providers.Role, p *providers.Part) bool {
	n := len(r.req.Messages)
	if p.Kind != providers.PartReasoning || n == 0 || r.req.Messages[n-1].Role != role {
		return false
	}
	parts := r.req.Messages[n-1].Parts
	last := &parts[len(parts)-1]
	if last.Kind != providers.PartReasoning || last.Signature != "" || p.Redacted {
		return false
	}
	p.Text = last.Text + p.Text
	*last = *p
	return true
}

func (r *geminiReader) part(in *geminiPart, at string) (providers.Part, error) {
	p := providers.Part{}
	if in.ThoughtSignature != "" {
		fromWire(&p, "gemini", in.ThoughtSignature)
	}
	blob, file := in.InlineData, in.FileData
	if blob == nil {
		blob = in.InlineDataToo
	}
	if file == nil {
		file = in.FileDataToo
	}
	switch {
	case in.FunctionCall != nil:
		r.calls++
		p.Kind, p.ID, p.Name, p.Args = providers.PartToolCall, in.FunctionCall.ID, in.FunctionCall.Name, in.FunctionCall.Args
		if p.ID == "" {
			p.ID = "call_" + strconv.Itoa(r.calls)
		}
		if len(p.Args) == 0 {
			p.Args = json.RawMessage("{}")
		}
		r.open = append(r.open, geminiOpen{p.ID, p.Name})
	case in.FunctionResponse != nil:
		return r.result(in.FunctionResponse), nil
	case blob != nil:
		data, err := base64Data(blob.Data)
		mediaType := blob.MimeType + blob.MimeTypeToo
		return providers.Part{Kind: kindOf(mediaType), MediaType: mediaType, Data: data, Name: blob.Name}, err
	case file != nil:
		mediaType := file.MimeType + file.MimeTypeToo
		return providers.Part{Kind: kindOf(mediaType), MediaType: mediaType, URL: file.URI + file.URIToo}, nil
	case in.Text != nil && (in.Thought || p.Signature != "" && p.Vendor != "gemini"):
		p.Kind, p.Text = providers.PartReasoning, *in.Text
	case in.Text != nil:
		p.Kind, p.Text = providers.PartText, *in.Text
	default:
		return p, bad(at, "A part holds nothing that can be translated.").WithHint("Use text, inlineData, fileData, functionCall or functionResponse.")
	}
	return p, nil
}

func (r *geminiReader) result(in *geminiResult) providers.Part {
	p := providers.Part{Kind: providers.PartToolResult, ID: in.ID, Name: in.Name}
	for i, o := range r.open {
		if p.ID == o.id || p.ID == "" && o.name == in.Name {
			p.ID = o.id
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			break
		}
	}
	if failure, ok := in.Response["error"]; ok && len(in.Response) == 1 {
		p.IsError, p.Text = true, textOf(failure)
		return p
	}
	for _, key := range []string{"output", "result"} {
		if value, ok := in.Response[key]; ok && len(in.Response) == 1 {
			p.Text = textOf(value)
			return p
		}
	}
	if in.Response != nil {
		p.Text = string(encode(in.Response))
	}
	return p
}

// textOf is a string's text, or any other value's JSON.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
