package api

import "net/http"

// The policy of pages: everything from us, no inline script, no eval. Styles
// may be inline because two libraries of the UI create style elements.
const pagePolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'; form-action 'self'"

// The policy of answers that are no pages: nothing may be loaded from them.
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

// Header values are shared between requests, so they are never appended to.
var (
	nosniff     = []string{"nosniff"}
	noStore     = []string{"no-store"}
	noCache     = []string{"no-cache"}
	sameOrigin  = []string{"same-origin"}
	noReferrer  = []string{"no-referrer"}
	framing     = []string{"SAMEORIGIN"}
	pagePolicyV = []string{pagePolicy}
	dataPolicyV = []string{dataPolicy}
	noSensors   = []string{"camera=(), geolocation=(), payment=(), usb=()"}
)

// dataHeaders protect an answer of the API. There are few on purpose: with the
// request id, the rate limit and the type they just fit the smallest map. Other
// sites get nothing to embed, since cookies are not sent along from there.
func dataHeaders(h http.Header) {
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = dataPolicyV
	h["Cache-Control"] = noStore
}

// pageHeaders protect a page and what it loads.
func pageHeaders(h http.Header) {
	h["X-Content-Type-Options"] = nosniff
	h["Content-Security-Policy"] = pagePolicyV
	h["Cross-Origin-Resource-Policy"] = sameOrigin
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = framing
	h["Permissions-Policy"] = noSensors
	h["Cache-Control"] = noCache
}
