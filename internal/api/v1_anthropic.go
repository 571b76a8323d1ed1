package api

import (
	"github.com/fluxway/fluxway/internal/api/compat"
)

func (a doorsAPI) anthropic() []route {
	d := compat.Messages{}
	return []route{
		{"POST", "/v1/messages", "models:use", "Anthropic's Messages, with any model.", foreign[none](d, a.ask("anthropic"), also("text/event-stream"))},
		{"POST", "/v1/messages/count_tokens", "models:use", "How many tokens a message has, by the vendor's own count where it has one.", foreign[none](d, a.countMessage)},
	}
}

func (a doorsAPI) countMessage(c *call) error {
	d := c.e.route.Action.dialect
	head, err := d.Head(c.body)
	if err != nil {
		return err
	}
	req, err := d.Request(c.body)
	if err != nil {
		return err
	}
	req.Model = head.Model
	models, err := a.gateway.Router(c.ctx)
	if err != nil {
		return err
	}
	tokens, _, err := models.CountTokens(c.charged("anthropic", head.Model), req)
	if err != nil {
		return err
	}
	return c.foreignJSON(map[string]int64{"input_tokens": tokens})
}
