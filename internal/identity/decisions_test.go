package identity

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/scrypt"
	"pgregory.net/rapid"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestEachRoleHasAllOfTheOneBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		permission := rapid.SampledFrom(AllPermissions()).Draw(t, "permission")
		viewer, operator, admin := Viewer.Permissions().Has(permission), Operator.Permissions().Has(permission), Admin.Permissions().Has(permission)
		if viewer && !operator || operator && !admin || !admin {
			t.Fatalf("%s: viewer %v, operator %v, admin %v", permission, viewer, operator, admin)
		}
	})
	if v, o, a := Viewer.Permissions().Len(), Operator.Permissions().Len(), Admin.Permissions().Len(); !(0 < v && v < o && o < a && a == len(grants)) {
		t.Errorf("viewer %d, operator %d, admin %d of %d", v, o, a, len(grants))
	}
}

func TestPermissionTable(t *testing.T) {
	t.Parallel()
	if len(grants) > 128 {
		t.Fatalf("%d permissions do not fit the set", len(grants))
	}
	for _, g := range grants {
		part, verb, ok := strings.Cut(g.permission, ":")
		if !ok || part == "" || !slices.Contains([]string{"read", "write", "use", "run", "approve", "manage"}, verb) {
			t.Errorf("%q is not part:verb", g.permission)
		}
		if g.least == Viewer && verb != "read" && g.permission != "account:write" {
			t.Errorf("a viewer has %s, which is more than reading", g.permission)
		}
	}
	if len(positions) != len(grants) {
		t.Error("a permission is listed twice")
	}
	tests := []struct {
		role       Role
		permission string
		want       bool
	}{
		{Viewer, "conversations:read", true}, {Viewer, "conversations:write", false}, {Viewer, "keys:write", false}, {Viewer, "audit:read", false},
		{Operator, "runs:write", true}, {Operator, "keys:write", true}, {Operator, "keys:manage", false}, {Operator, "users:write", false},
		{Operator, "guard:approve", true}, {Operator, "config:write", false},
		{Admin, "system:write", true}, {Admin, "no:such", false}, {Role("owner"), "runs:read", false}, {Role(""), "runs:read", false},
	}
	for _, tt := range tests {
		if got := tt.role.Permissions().Has(tt.permission); got != tt.want {
			t.Errorf("%s has %s = %v, want %v", tt.role, tt.permission, got, tt.want)
		}
	}
	if !Admin.AtLeast(Viewer) || Viewer.AtLeast(Operator) || Role("x").AtLeast(Role("x")) {
		t.Error("AtLeast is wrong")
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		globs []string
		has   []string
		not   []string
		code  string
	}{
		{globs: []string{"runs:read"}, has: []string{"runs:read"}, not: []string{"runs:write", "jobs:read"}},
		{globs: []string{"runs:*"}, has: []string{"runs:read", "runs:write"}, not: []string{"jobs:read"}},
		{globs: []string{"*:read"}, has: []string{"runs:read", "audit:read"}, not: []string{"runs:write"}},
		{globs: []string{"*"}, has: []string{"system:write"}},
		{globs: []string{"run:read"}, code: "unknown_scope"},
		{globs: []string{"runs:read", "[x"}, code: "unknown_scope"},
		{globs: []string{""}, code: "unknown_scope"},
	}
	for _, tt := range tests {
		set, err := ParseScopes(tt.globs)
		if tt.code != "" {
			if !fault.HasCode(err, tt.code) {
				t.Errorf("ParseScopes(%q) = %v, want %s", tt.globs, err, tt.code)
			}
			continue
		}
		for _, p := range tt.has {
			if !set.Has(p) {
				t.Errorf("%q misses %s", tt.globs, p)
			}
		}
		for _, p := range tt.not {
			if set.Has(p) {
				t.Errorf("%q has %s", tt.globs, p)
			}
		}
	}
	if _, err := ParseScopes([]string{"run:read"}); !strings.Contains(fault.From(err).Hint, "runs:read") {
		t.Errorf("no suggestion in %q", fault.From(err).Hint)
	}
}

func TestAKeyNeverReachesBeyondItsMaker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		role := rapid.SampledFrom([]Role{Viewer, Operator, Admin}).Draw(t, "role")
		glob := rapid.SampledFrom(append(AllPermissions(), "*", "*:read", "*:write", "runs:*", "keys:*", "users:*"))
		own := keyPermissions(role, matching(rapid.SliceOf(glob).Draw(t, "the maker's own scopes")))
		maker := &Identity{Role: role, Permissions: own, Via: ViaKey}
		scopes := rapid.SliceOfN(glob, 1, 4).Draw(t, "scopes")
		if mayGrant(maker, scopes) != nil {
			return
		}
		made := keyPermissions(role, matching(scopes))
		if made.And(own) != made {
			t.Fatalf("a key with %v made one with %v: it gained %v", own.List(), scopes, made.List())
		}
		if made.Has("account:write") {
			t.Fatal("a key may change its maker's account")
		}
	})
}

func TestWaitAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		failures int
		want     time.Duration
	}{{0, 0}, {4, 0}, {5, time.Second}, {6, 2 * time.Second}, {10, 32 * time.Second}, {14, 512 * time.Second}, {15, 15 * time.Minute}, {5000, 15 * time.Minute}}
	for _, tt := range tests {
		if got := waitAfter(tt.failures, 5); got != tt.want {
			t.Errorf("waitAfter(%d) = %s, want %s", tt.failures, got, tt.want)
		}
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)
	th := newThrottle(func() time.Time { return now })
	here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for i := range freeByName {
		done, err := th.begin(here, "anna")
		if err != nil {
			t.Fatalf("try %d is refused: %v", i+1, err)
		}
		done(failed)
	}
	_, err := th.begin(here, "anna")
	f := fault.From(err)
	if f == nil || f.Code != "too_many_attempts" || f.RetryAfter <= 0 || f.RetryAfter > 3*time.Second || !strings.Contains(f.Hint, "2s") {
		t.Fatalf("after %d failures: %+v", freeByName, f)
	}
	if _, err := th.begin(there, "anna"); err != nil {
		t.Errorf("another address is locked out: %v", err)
	}
	if done, err := th.begin(here, "berta"); err != nil {
		t.Errorf("another name from the same address is locked out too early: %v", err)
	} else {
		done(neutral)
	}
	now = now.Add(2 * time.Second)
	done, err := th.begin(here, "anna")
	if err != nil {
		t.Fatalf("still locked after waiting: %v", err)
	}
	done(neutral)
	if done, err = th.begin(here, "anna"); err != nil {
		t.Fatalf("a neutral try counted: %v", err)
	}
	done(succeeded)
	for range freeByName - 1 {
		if done, err = th.begin(here, "anna"); err != nil {
			t.Fatalf("success did not start afresh: %v", err)
		}
		done(failed)
	}
	now = now.Add(2 * forgetAfter)
	if done, err = th.begin(here, "anna"); err != nil {
		t.Error(err)
	}
	done(failed)
	if done, err = th.begin(here, "anna"); err != nil {
		t.Errorf("old failures are not forgotten: %v", err)
	}
	done(failed)
}

func TestThrottleCountsTriesThatRunAtOnce(t *testing.T) {
	t.Parallel()
	th := newThrottle(func() time.Time { return time.Unix(1, 0) })
	let := 0
	for range 100 { // none of them is over yet
		if _, err := th.begin(netip.MustParseAddr("2001:db8::1"), "anna"); err == nil {
			let++
		}
	}
	if let != freeByName {
		t.Errorf("%d tries at once were let in, want %d", let, freeByName)
	}
	if _, err := th.begin(netip.MustParseAddr("2001:db8::2"), "anna"); err == nil {
		t.Error("a neighbour in the same /64 is another address")
	}
}

func TestThrottleByAddressAndMemory(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	th := newThrottle(func() time.Time { return now })
	let := 0
	for i := range 100 {
		if _, err := th.begin(netip.MustParseAddr("192.0.2.1"), strings.Repeat("x", i+1)); err == nil {
			let++
		}
	}
	if let != freeByAddress {
		t.Errorf("%d names were tried from one address, want %d", let, freeByAddress)
	}
	ip := netip.MustParseAddr("10.0.0.0")
	for range 3 * maxAttempts {
		ip = ip.Next()
		if _, err := th.begin(ip, "anna"); err != nil {
			t.Fatal(err)
		}
	}
	if len(th.tries) > maxAttempts+2 {
		t.Errorf("remembers %d, want at most %d", len(th.tries), maxAttempts)
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	good := []string{"four unrelated quick words", "tr0ub4dor&3 zebra", "Xk9#mPq2vL", "ein langer Satz über Käse", "correct horse battery staple", strings.Repeat("ab3 ", 50) + "x9"}
	for _, p := range good {
		if err := CheckPassword(p, "anna"); err != nil {
			t.Errorf("CheckPassword(%q) = %v, want nil", p, err)
		}
	}
	bad := []string{
		"", "short", "password12", "Password123!", "P@ssw0rd123", "passwordpassword", "1234567890", "0987654321", "qwertyuiop", "qwertyqwerty",
		"aaaaaaaaaaaa", "abcabcabcabc", "letmein2024!", "iloveyou1234", "administrator", "welcome2026", "annaanna99", "1q2w3e4r5t", "\xff\xfe valid? no",
		strings.Repeat("longer than we hash ", 60), "Summer2026!", "changeme123",
	}
	for _, p := range bad {
		if err := CheckPassword(p, "anna"); !fault.HasCode(err, "weak_password") {
			t.Errorf("CheckPassword(%q) = %v, want weak_password", p, err)
		} else if f := fault.From(err); f.Hint == "" || f.Param != "password" {
			t.Errorf("CheckPassword(%q) does not help: %+v", p, f)
		}
	}
}

func FuzzCheckPassword(f *testing.F) {
	f.Add("password12", "anna")
	f.Add("ééééééééééé", "")
	f.Fuzz(func(_ *testing.T, password, about string) { _ = CheckPassword(password, about) })
}

func testHasher(t testing.TB) *hasher {
	h, err := newHasher(PasswordCost{MemoryKiB: 64, Time: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPasswordHashes(t *testing.T) {
	t.Parallel()
	h, ctx := testHasher(t), t.Context()
	fresh, err := h.hash(ctx, "secret words")
	if err != nil || !strings.HasPrefix(fresh, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatalf("hash = %q, %v", fresh, err)
	}
	salt := []byte("0123456789abcdef")
	sum := func(s []byte, cost, n int) []byte {
		k, err := scrypt.Key([]byte("secret words"), s, 1<<cost, 8, 1, n)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	b64, textSalt := base64.RawStdEncoding.EncodeToString, hex.EncodeToString(salt)
	tests := []struct {
		name, stored, password string
		ok, stale              bool
	}{
		{"right", fresh, "secret words", true, false},
		{"wrong", fresh, "secret word", false, false},
		{"empty password", fresh, "", false, false},
		{"unknown user", "", "secret words", false, false},
		{"unknown user and empty password", "", "", false, false},
		{"scrypt, PHC", "$scrypt$ln=10,r=8,p=1$" + b64(salt) + "$" + b64(sum(salt, 10, 32)), "secret words", true, true},
		{"scrypt, salt as text", textSalt + ":" + hex.EncodeToString(sum([]byte(textSalt), 14, 64)), "secret words", true, true},
		{"scrypt, salt as bytes", textSalt + ":" + hex.EncodeToString(sum(salt, 14, 64)), "secret words", true, true},
		{"scrypt, wrong", "$scrypt$ln=10,r=8,p=1$" + b64(salt) + "$" + b64(sum(salt, 10, 32)), "secret word", false, true},
	}
	for _, tt := range tests {
		ok, stale, err := h.verify(ctx, tt.stored, tt.password)
		if err != nil || ok != tt.ok || stale != tt.stale {
			t.Errorf("%s: verify = %v, stale %v, %v; want %v, %v", tt.name, ok, stale, err, tt.ok, tt.stale)
		}
	}
	strong, err := newHasher(PasswordCost{MemoryKiB: 128, Time: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if ok, stale, err := strong.verify(ctx, fresh, "secret words"); !ok || !stale || err != nil {
		t.Errorf("a hash of lower cost: %v, stale %v, %v; want true, true", ok, stale, err)
	}
}

func TestDefaultPasswordCost(t *testing.T) {
	t.Parallel()
	if got, want := (PasswordCost{}).filled(), (PasswordCost{MemoryKiB: 65536, Time: 3, Threads: 2, Parallel: 2}); got != want {
		t.Errorf("default cost %+v, want %+v", got, want)
	}
}

func TestUnreadableHashes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x", "plain", "$argon2id$v=19$m=64,t=1,p=1$short$short", "$argon2id$v=19$m=99999999,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
		"$argon2id$v=19$m=64,t=0,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg", "$scrypt$ln=30,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
		"$2a$10$abcdefghijklmnopqrstuv", "00:00", "zz:zz", ":",
	} {
		if _, err := parseHash(text); !fault.HasCode(err, "bad_password_hash") {
			t.Errorf("parseHash(%q) = %v, want bad_password_hash", text, err)
		}
	}
}

func TestPasswordTurnsAreBounded(t *testing.T) {
	t.Parallel()
	h := testHasher(t) // two turns
	leave1, err1 := h.enter(t.Context())
	leave2, err2 := h.enter(t.Context())
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for range maxQueue {
		h.queue <- struct{}{}
	}
	if _, err := h.enter(t.Context()); !fault.HasCode(err, "sign_in_busy") {
		t.Errorf("a full queue: %v, want sign_in_busy", err)
	}
	for range maxQueue {
		<-h.queue
	}
	leave1()
	leave3, err := h.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave2()
	leave3()
	if len(h.queue) != 0 || len(h.turns) != 0 {
		t.Errorf("%d in the queue, %d turns taken, want none", len(h.queue), len(h.turns))
	}
}

func TestKeyText(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 200 {
		text, err := newKeyText()
		if err != nil || len(text) != len("fx_")+43 || !wellFormed(text) || seen[text] {
			t.Fatalf("newKeyText = %q, %v", text, err)
		}
		seen[text] = true
		for i := range text {
			changed := []byte(text)
			changed[i] = base62[(strings.IndexByte(base62, text[i])+1+62)%62]
			if wellFormed(string(changed)) {
				t.Fatalf("%s with character %d changed passes", text, i)
			}
		}
	}
}

func FuzzKeyText(f *testing.F) {
	text, err := newKeyText()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("fx_")
	f.Add("")
	f.Add("fx_" + strings.Repeat("0", 43))
	f.Fuzz(func(t *testing.T, text string) {
		if !wellFormed(text) {
			return
		}
		body := text[3 : len(text)-6]
		if len(text) != keyLength || checksum(body) != text[len(text)-6:] {
			t.Errorf("%q passes", text)
		}
		swapped := text[:len(text)-1] + string(base62[(strings.IndexByte(base62, text[len(text)-1])+1)%62])
		if wellFormed(swapped) {
			t.Errorf("%q and %q both pass", text, swapped)
		}
	})
}

func TestCodes(t *testing.T) {
	t.Parallel()
	code, err := newCode(2)
	if err != nil || len(code) != 9 || code[4] != '-' {
		t.Fatalf("newCode = %q, %v", code, err)
	}
	if plainCode(" abcd efgh\n") != "ABCDEFGH" || plainCode(code) != strings.ReplaceAll(code, "-", "") {
		t.Error("a code depends on how it is typed")
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"/", "/runs/run_1?x=1#y"} {
		if got := localPath(to); got != to {
			t.Errorf("localPath(%q) = %q", to, got)
		}
	}
	for _, to := range []string{"", "//evil.example", "https://evil.example", "/\\evil.example", "runs", "/a\r\nSet-Cookie: x", "javascript:alert(1)"} {
		if got := localPath(to); got != "/" {
			t.Errorf("localPath(%q) = %q, want /", to, got)
		}
	}
}

func TestAllowedDomains(t *testing.T) {
	t.Parallel()
	tests := []struct {
		email    string
		verified bool
		domains  []string
		want     bool
	}{
		{"", false, nil, true}, {"anna@example.org", true, []string{"example.org"}, true}, {"anna@Example.ORG", true, []string{"@example.org"}, true},
		{"anna@example.org", false, []string{"example.org"}, false}, {"anna@evil.example", true, []string{"example.org"}, false},
		{"anna@example.org@evil.example", true, []string{"example.org"}, false}, {"", true, []string{"example.org"}, false},
	}
	for _, tt := range tests {
		if got := (subject{email: tt.email, verified: tt.verified}).allowed(tt.domains); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	if got := tidy(" a\x00b\n\xffc ", 10); got != "abc" {
		t.Errorf("tidy = %q", got)
	}
	if got := tidy("éééé", 5); got != "éé" {
		t.Errorf("tidy cut a letter: %q", got)
	}
}
