package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/retry"
	"github.com/fluxway/fluxway/internal/kit/secret"
)

// exporter posts spans as OTLP/JSON. The stock exporter does the same with
// protocol buffers and gRPC for seven megabytes more.
type exporter struct {
	url      string
	headers  map[string]secret.Text
	client   *http.Client
	resource []otlpAttribute
	version  string
	policy   retry.Policy
}

func newExporter(opts Options) *exporter {
	client := opts.OTLPClient
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	url := strings.TrimSuffix(opts.OTLPEndpoint, "/")
	if !strings.HasSuffix(url, "/v1/traces") {
		url += "/v1/traces"
	}
	return &exporter{
		url: url, headers: opts.OTLPHeaders, client: client, version: opts.Version,
		resource: otlpAttributes(resourceAttributes(opts)),
		policy:   retry.Policy{Attempts: 4, First: 500 * time.Millisecond, Max: 10 * time.Second},
	}
}

// deliver sends one batch, repeating what the receiver says may be repeated.
func (e *exporter) deliver(ctx context.Context, spans []Finished) error {
	body, err := json.Marshal(e.request(spans))
	if err != nil {
		return err
	}
	return retry.Do(ctx, e.policy, func(ctx context.Context) error { return e.post(ctx, body) })
}

func (e *exporter) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range e.headers {
		req.Header.Set(name, value.Reveal())
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return fault.New(fault.Unavailable, "otlp_unreachable", "The OTLP endpoint cannot be reached.").Because(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if err != nil {
		return fault.New(fault.Unavailable, "otlp_unreachable", "The OTLP endpoint broke off its answer.").Because(err)
	}
	// Reading to the end lets the connection be used again.
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)); err != nil {
		return fault.New(fault.Unavailable, "otlp_unreachable", "The OTLP endpoint broke off its answer.").Because(err)
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fault.New(fault.Unavailable, "otlp_busy", "The OTLP endpoint answered %s.", resp.Status).
			RetryIn(retryAfter(resp.Header.Get("Retry-After")))
	}
	return fault.New(fault.Upstream, "otlp_refused", "The OTLP endpoint answered %s: %s", resp.Status, bytes.TrimSpace(answer))
}

// retryAfter reads the header's seconds form, within reason.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, 30*time.Second)
}

// The types below are the JSON form of opentelemetry.proto.collector.trace.v1:
// ids in hexadecimal, 64-bit integers as strings, enums as numbers.
type otlpRequest struct {
	ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
}

type otlpResourceSpans struct {
	Resource   otlpResource     `json:"resource"`
	ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
}

type otlpResource struct {
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpScopeSpans struct {
	Scope otlpScope  `json:"scope"`
	Spans []otlpSpan `json:"spans"`
}

type otlpScope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type otlpSpan struct {
	TraceID           string          `json:"traceId"`
	SpanID            string          `json:"spanId"`
	ParentSpanID      string          `json:"parentSpanId,omitempty"`
	Name              string          `json:"name"`
	Kind              int             `json:"kind"`
	StartTimeUnixNano string          `json:"startTimeUnixNano"`
	EndTimeUnixNano   string          `json:"endTimeUnixNano"`
	Attributes        []otlpAttribute `json:"attributes,omitempty"`
	Events            []otlpEvent     `json:"events,omitempty"`
	Status            otlpStatus      `json:"status"`
}

type otlpEvent struct {
	TimeUnixNano string          `json:"timeUnixNano"`
	Name         string          `json:"name"`
	Attributes   []otlpAttribute `json:"attributes,omitempty"`
}

type otlpStatus struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

type otlpAttribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

func (e *exporter) request(spans []Finished) otlpRequest {
	out := make([]otlpSpan, len(spans))
	for i, s := range spans {
		out[i] = otlpSpanOf(s)
	}
	return otlpRequest{ResourceSpans: []otlpResourceSpans{{
		Resource:   otlpResource{Attributes: e.resource},
		ScopeSpans: []otlpScopeSpans{{Scope: otlpScope{Name: scope, Version: e.version}, Spans: out}},
	}}}
}

func otlpSpanOf(f Finished) otlpSpan {
	s := otlpSpan{
		TraceID: f.Trace, SpanID: f.ID, ParentSpanID: f.Parent, Name: f.Name, Kind: int(f.Kind),
		StartTimeUnixNano: nanos(f.Start), EndTimeUnixNano: nanos(f.End), Attributes: otlpAttributes(f.Attributes),
	}
	if f.Failed {
		s.Status = otlpStatus{Code: 2, Message: f.Message}
	}
	for _, e := range f.Events {
		s.Events = append(s.Events, otlpEvent{TimeUnixNano: nanos(e.At), Name: e.Name, Attributes: otlpAttributes(e.Attributes)})
	}
	return s
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func otlpAttributes(attrs []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, len(attrs))
	for i, a := range attrs {
		out[i] = otlpAttribute{Key: string(a.Key), Value: otlpValue(a.Value)}
	}
	return out
}

func otlpValue(v attribute.Value) map[string]any {
	switch v.Type() {
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	case attribute.INT64:
		return map[string]any{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return map[string]any{"doubleValue": otlpFloat(v.AsFloat64())}
	case attribute.STRINGSLICE:
		return otlpArray(v.AsStringSlice(), attribute.StringValue)
	case attribute.INT64SLICE:
		return otlpArray(v.AsInt64Slice(), attribute.Int64Value)
	case attribute.FLOAT64SLICE:
		return otlpArray(v.AsFloat64Slice(), attribute.Float64Value)
	case attribute.BOOLSLICE:
		return otlpArray(v.AsBoolSlice(), attribute.BoolValue)
	}
	return map[string]any{"stringValue": v.String()}
}

// otlpFloat keeps what JSON has no number for as the words protocol buffers use.
func otlpFloat(f float64) any {
	switch text := strconv.FormatFloat(f, 'g', -1, 64); text {
	case "NaN":
		return "NaN"
	case "+Inf":
		return "Infinity"
	case "-Inf":
		return "-Infinity"
	}
	return f
}

func otlpArray[T any](values []T, wrap func(T) attribute.Value) map[string]any {
	out := make([]map[string]any, len(values))
	for i, v := range values {
		out[i] = otlpValue(wrap(v))
	}
	return map[string]any{"arrayValue": map[string]any{"values": out}}
}
