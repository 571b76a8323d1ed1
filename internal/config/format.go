package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/robfig/cron/v3"

	"github.com/fluxway/fluxway/internal/kit/secret"
)

// formats are the shapes a text can be required to have. Each says what is
// wrong, as a clause behind the value. The empty text is always allowed: it is
// the same as leaving the key out.
var formats = map[string]func(string) error{
	"hostport":     hostport,
	"http_url":     httpURL,
	"postgres_url": schemes("postgres", "postgresql"),
	"nats_url":     schemes("nats", "tls", "ws", "wss"),
	"path":         path,
	"host":         host,
	"cidr":         cidr,
	"cron":         cronLine,
	"name":         shaped(namePattern, "is not a name such as backup or memory.index"),
	"header":       shaped(headerPattern, "is not the name of a header"),
	"capability":   capability,
	"server":       shaped(serverPattern, "is not the name of a server: 1 to 32 small letters, digits and hyphens"),
	"variable":     shaped(variablePattern, "is not the name of a variable"),
	"provider":     shaped(providerPattern, "is not the name of a provider such as openai or my-server"),
	"model":        shaped(modelPattern, "is not a model such as openai/gpt-5"),
	"agent":        shaped(agentPattern, "is not the name of an agent: at most 48 small letters, digits, - and _, a letter first"),
	"target":       shaped(targetPattern, "is not a model such as openai/gpt-5, or the name of a route"),
}

// The patterns are also in the schema.
const (
	namePattern   = `^[a-z][a-z0-9._-]*$`
	headerPattern = `^[A-Za-z0-9-]+$`

	serverPattern   = `^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`
	variablePattern = `^[A-Za-z_][A-Za-z0-9_]*$`

	providerPattern = `^[a-z][a-z0-9_-]*$`
	agentPattern    = `^[a-z][a-z0-9_-]{0,47}$`
	modelPattern    = `^[a-z][a-z0-9_-]*/[^ ]+$`
	targetPattern   = `^[a-z][^ ]*$`

	hostPattern = `^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`
)

var hostShape = regexp.MustCompile(hostPattern)

func hostport(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return errors.New("is not an address with a port such as 127.0.0.1:7777")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("has a port that is not between 0 and 65535: %s", port)
	}
	return nil
}

func httpURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return errors.New("is not a URL that starts with http:// or https://")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("is a URL with a user, a query or a fragment, which has no place here")
	}
	return nil
}

// schemes accepts URLs, several with commas between them, of these schemes.
// What they say never repeats the value: it may hold a password.
func schemes(allowed ...string) func(string) error {
	return func(s string) error {
		for one := range strings.SplitSeq(s, ",") {
			u, err := url.Parse(strings.TrimSpace(one))
			if err != nil {
				return errors.New("is not a URL; special characters in a password must be written as %XX")
			}
			known := false
			for _, scheme := range allowed {
				known = known || u.Scheme == scheme
			}
			if !known || u.Host == "" && u.RawQuery == "" {
				return fmt.Errorf("is not a URL that starts with %s://", strings.Join(allowed, ":// or "))
			}
		}
		return nil
	}
}

func path(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("is not a path")
	}
	return nil
}

func host(s string) error {
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	if !hostShape.MatchString(s) {
		return errors.New("is not a host name such as flux.example.com or *.example.com, without a port")
	}
	return nil
}

func cidr(s string) error {
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	if _, err := netip.ParsePrefix(s); err != nil {
		return errors.New("is not an address or network such as 10.0.0.0/8")
	}
	return nil
}

// cronLine guards the parser, which panics on a time zone without a line behind it.
func cronLine(s string) error {
	if zone := strings.HasPrefix(s, "TZ=") || strings.HasPrefix(s, "CRON_TZ="); zone && !strings.Contains(s, " ") {
		return errors.New("has a time zone but no cron line behind it")
	}
	if _, err := cron.ParseStandard(s); err != nil {
		return fmt.Errorf("is not a cron line such as 0 3 * * * or @daily: %w", err)
	}
	return nil
}

// capability is something a model can do; the list is providers', which a test
// compares it with.
func capability(s string) error {
	if !slices.Contains(capabilities, s) {
		return errors.New("is not one of " + strings.Join(capabilities, ", "))
	}
	return nil
}

var capabilities = []string{"tools", "vision", "documents", "audio", "reasoning", "json", "cache", "embeddings", "transcription", "speech"}

func shaped(pattern, problem string) func(string) error {
	shape := regexp.MustCompile(pattern)
	return func(s string) error {
		if !shape.MatchString(s) {
			return errors.New(problem)
		}
		return nil
	}
}

// absolute resolves ~ and makes a path absolute from dir.
func absolute(s, home, dir string) string {
	if s == "~" || strings.HasPrefix(s, "~/") {
		s = filepath.Join(home, s[1:])
	}
	if !filepath.IsAbs(s) {
		s = filepath.Join(dir, s)
	}
	return filepath.Clean(s)
}

// hidePassword shows a URL without the password in it. Of several URLs it shows
// the first user and the last host: a comma may be part of a password.
func hidePassword(s string) string {
	if start, at := strings.Index(s, "://"), strings.LastIndex(s, "@"); start >= 0 && at > start {
		if user, _, found := strings.Cut(s[start+3:at], ":"); found {
			s = s[:start+3] + user + ":" + secret.Mask + s[at:]
		}
	}
	if q := strings.Index(strings.ToLower(s), "password="); q >= 0 {
		s = s[:q] + "password=" + secret.Mask
	}
	return s
}
