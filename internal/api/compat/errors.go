package compat

import (
	"net/http"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/providers"
)

// words are what happened and what to do next, in one text: the vendors' errors
// have no place for a hint.
func words(f *fault.Fault) string {
	if f.Hint == "" {
		return f.Message
	}
	return strings.TrimSpace(f.Message) + " " + f.Hint
}

// openAIError is the object in OpenAI's errors.
func openAIError(f *fault.Fault, request string) object {
	var param any
	if f.Param != "" {
		param = f.Param
	}
	return object{"message": words(f), "type": openAIType(f), "param": param, "code": openAICode(f), "request_id": request}
}

func openAICode(f *fault.Fault) string {
	switch f.Code {
	case providers.CodeContext:
		return "context_length_exceeded" // coding tools look for it to shorten what they send
	case providers.CodeQuota:
		return "insufficient_quota"
	case providers.CodeRate:
		return "rate_limit_exceeded"
	}
	return f.Code
}

func openAIType(f *fault.Fault) string {
	switch status := f.Status(); {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests && (f.Code == providers.CodeQuota || f.Code == "budget_exceeded"):
		return "insufficient_quota"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func anthropicType(f *fault.Fault) string {
	if f.Code == providers.CodeOverloaded {
		return "overloaded_error"
	}
	switch f.Status() {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusServiceUnavailable:
		return "overloaded_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	}
	if f.Status() >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// anthropicWords start as Anthropic's do where tools look at the text.
func anthropicWords(f *fault.Fault) string {
	if f.Code == providers.CodeContext {
		return "prompt is too long: " + words(f)
	}
	return words(f)
}

func googleStatus(f *fault.Fault) string {
	switch f.Status() {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusConflict:
		return "ABORTED"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	case http.StatusInternalServerError:
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}
