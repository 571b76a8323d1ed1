package wire

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fluxway/fluxway/internal/providers"
)

// Relay passes a raw request on and meters its answer as it is read.
func (c *Client) Relay(ctx context.Context, call Call, streaming bool, framing providers.Framing, parse func([]byte, *providers.Tally)) (*providers.RawResponse, error) {
	call.Accept = "application/json"
	if streaming {
		call.Accept = "text/event-stream"
	}
	resp, err := c.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	if !streaming {
		framing = providers.FramingWhole
	}
	meter := providers.NewScanner(framing, parse)
	raw := &providers.RawResponse{Status: resp.StatusCode, Header: resp.Header, Body: meter.Tee(resp.Body), Meter: meter}
	if b, ok := resp.Body.(interface{ Buffered() int }); ok {
		raw.Ready = b.Buffered()
	}
	return raw, nil
}

// Encode makes a request body and merges the vendor's own extra fields.
func Encode(body any, extra map[string]json.RawMessage) ([]byte, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encoding request: %w", err)
	}
	if len(extra) == 0 {
		return encoded, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, fmt.Errorf("merging extra fields: %w", err)
	}
	for k, v := range extra {
		fields[k] = v
	}
	return json.Marshal(fields)
}
