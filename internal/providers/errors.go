package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// The codes of every fault that an adapter answers.
const (
	CodeAuth        = "provider_auth"        // the credential is missing, wrong or expired
	CodeQuota       = "provider_quota"       // the account's money or plan is used up
	CodeRate        = "provider_rate"        // too many requests or tokens just now
	CodeContext     = "context_too_long"     // the request does not fit the model
	CodeFiltered    = "content_filtered"     // the vendor's policy refused the request
	CodeOverloaded  = "provider_overloaded"  // the vendor is busy
	CodeUnavailable = "provider_unavailable" // the vendor cannot be reached or failed
	CodeBadRequest  = "provider_bad_request" // the vendor does not understand the request
	CodeNoModel     = "model_not_found"      // the vendor has no such model
	CodeBroken      = "stream_broken"        // the answer stopped midway
	CodeSlow        = "first_token_timeout"  // nothing came in time
)

// Failure is what an adapter knows about a refusal, in the vendor's words.
type Failure struct {
	Vendor     string // "anthropic"
	Status     int    // HTTP status, 0 inside a stream
	Code       string // vendor's own error type or code
	Message    string // vendor's own text
	RequestID  string // vendor's id of the request
	RetryAfter time.Duration
	Model      string
}

// Fault maps the failure to our small set; the vendor's text is in Details.
func (f Failure) Fault() *fault.Fault {
	code := f.classify()
	flt := shapes[code](f)
	flt.Code = code
	flt = flt.WithDetail("vendor", f.Vendor)
	if f.Status != 0 {
		flt = flt.WithDetail("vendor_status", f.Status)
	}
	if f.Code != "" {
		flt = flt.WithDetail("vendor_code", f.Code)
	}
	if f.Message != "" {
		flt = flt.WithDetail("vendor_message", f.Message)
	}
	if f.RequestID != "" {
		flt = flt.WithDetail("vendor_request_id", f.RequestID)
	}
	return flt
}

// signs are looked for in the vendor's code and text, in this order, because
// vendors answer one status for several causes.
var signs = []struct {
	code  string
	words []string
}{
	{CodeQuota, []string{"insufficient_quota", "billing_hard_limit", "credit balance is too low", "billing_error", "insufficient credits", "exceeded your current quota", "quota_exceeded", "insufficient balance", "payment required"}},
	{CodeContext, []string{"context_length_exceeded", "prompt is too long", "maximum context length", "context window", "input is too long", "exceeds the maximum number of tokens", "input token count", "request_too_large", "exceed_context_size"}},
	{CodeFiltered, []string{"content_filter", "content_policy", "responsibleaipolicy", "safety system", "moderation", "prohibited_content", "blocklist"}},
	{CodeNoModel, []string{"model_not_found", "not_found_error", "model not found", "does not exist", "model_not_supported", "is not found for api version"}},
	{CodeAuth, []string{"authentication_error", "invalid_api_key", "permission_error", "api key not valid", "unauthenticated", "permission_denied", "invalid x-api-key", "token expired"}},
	{CodeOverloaded, []string{"overloaded", "engine_overloaded", "high demand", "server is busy"}},
	{CodeRate, []string{"rate_limit", "resource_exhausted", "too many requests", "tokens per min"}},
}

func (f Failure) classify() string {
	text := strings.ToLower(f.Code + " " + f.Message)
	for _, s := range signs {
		if s.code == CodeNoModel && f.Status != http.StatusNotFound && f.Status != http.StatusBadRequest && f.Status != 0 {
			continue
		}
		for _, w := range s.words {
			if strings.Contains(text, w) {
				return s.code
			}
		}
	}
	switch f.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return CodeAuth
	case http.StatusPaymentRequired:
		return CodeQuota
	case http.StatusTooManyRequests:
		return CodeRate
	case http.StatusNotFound:
		return CodeNoModel
	case http.StatusRequestEntityTooLarge:
		return CodeContext
	case http.StatusServiceUnavailable, 529:
		return CodeOverloaded
	}
	if f.Status >= 400 && f.Status < 500 && f.Status != http.StatusRequestTimeout {
		return CodeBadRequest
	}
	return CodeUnavailable
}

// shapes gives each code its sentence, hint and whether repeating helps.
var shapes = map[string]func(Failure) *fault.Fault{
	CodeAuth: func(f Failure) *fault.Fault {
		return fault.New(fault.Upstream, CodeAuth, "%s did not accept our credential.", f.who()).
			WithHint("Check the key or sign in again; `fluxway auth` shows what is configured.")
	},
	CodeQuota: func(f Failure) *fault.Fault {
		flt := fault.New(fault.Exhausted, CodeQuota, "The account at %s has no quota left.", f.who()).
			WithHint("Add credit or another account, or choose a model of another provider.")
		flt.RetryAfter = f.RetryAfter
		return flt
	},
	CodeRate: func(f Failure) *fault.Fault {
		return fault.New(fault.Exhausted, CodeRate, "%s limits how fast we may ask.", f.who()).
			WithHint("Wait a moment, add another account, or name a fallback model.").RetryIn(f.RetryAfter)
	},
	CodeContext: func(f Failure) *fault.Fault {
		return fault.New(fault.Invalid, CodeContext, "This is more than %s can read at once.", cmp.Or(f.Model, "the model")).
			WithHint("Shorten the conversation or choose a model with a larger context window.")
	},
	CodeFiltered: func(f Failure) *fault.Fault {
		return fault.New(fault.Invalid, CodeFiltered, "%s refused this content by its policy.", f.who()).
			WithHint("Rephrase the request, or choose another model.")
	},
	CodeNoModel: func(f Failure) *fault.Fault {
		return fault.New(fault.NotFound, CodeNoModel, "%s has no model %q for this account.", f.who(), f.Model).
			WithHint("`fluxway models` lists what can be used.")
	},
	CodeOverloaded: func(f Failure) *fault.Fault {
		return fault.New(fault.Unavailable, CodeOverloaded, "%s is overloaded.", f.who()).
			WithHint("Try again in a moment, or name a fallback model.").RetryIn(f.RetryAfter)
	},
	CodeUnavailable: func(f Failure) *fault.Fault {
		return fault.New(fault.Unavailable, CodeUnavailable, "%s cannot be reached or failed.", f.who()).
			WithHint("Try again in a moment; check the base URL and the network if it stays.").RetryIn(f.RetryAfter)
	},
	CodeBadRequest: func(f Failure) *fault.Fault {
		return fault.New(fault.Invalid, CodeBadRequest, "%s did not understand the request: %s", f.who(), sentence(f.Message)).
			WithHint("The vendor's own text is in details; a parameter may not fit this model.")
	},
}

func (f Failure) who() string { return cmp.Or(f.Vendor, "The provider") }

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return "it gave no reason."
	}
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}

// Broken is the fault of a stream that ended before its finish chunk. A cancel
// of ctx is reported as the cancel, not as the vendor's fault.
func Broken(ctx context.Context, vendor string, cause error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("reading from %s: %w", vendor, context.Cause(ctx))
	}
	return fault.New(fault.Upstream, CodeBroken, "The answer from %s broke off midway.", vendor).
		WithHint("What arrived is incomplete; ask again.").
		WithDetail("vendor", vendor).RetryIn(0).Because(cause)
}

// Unreachable is the fault of a request that got no answer at all.
func Unreachable(ctx context.Context, vendor string, cause error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("asking %s: %w", vendor, context.Cause(ctx))
	}
	return Failure{Vendor: vendor, Message: rootText(cause)}.Fault().Because(cause)
}

// rootText is the innermost error's text: the outer ones repeat the URL, which
// may hold a credential.
func rootText(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// NoProvider is the fault of a provider's name that means nothing here.
func NoProvider(name string) error {
	return fault.New(fault.NotFound, "provider_not_found", "There is no provider %q.", name).WithParam("provider").
		WithHint("GET /api/v1/providers lists them; another OpenAI-compatible server is named in the settings, with its base_url.")
}
