package webpush

import (
	"bytes"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

// The example of RFC 8291, section 5 and appendix A.
const (
	exampleText    = "When I grow up, I want to be a watermelon"
	exampleOwn     = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	exampleTheirs  = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
	exampleKey     = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleAuth    = "BTBZMqHH6r4Tts7J_aSIgg"
	exampleSalt    = "DGv6ra1nlYgDCS1FRnbzlw"
	exampleMessage = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func privateOf(t *testing.T, text string) *ecdh.PrivateKey {
	t.Helper()
	k, err := ecdh.P256().NewPrivateKey(bytesOf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestTheExampleOfTheStandard(t *testing.T) {
	t.Parallel()
	to := Target{Key: bytesOf(t, exampleKey), Auth: bytesOf(t, exampleAuth)}
	body, err := encrypt(to, []byte(exampleText), privateOf(t, exampleOwn), bytesOf(t, exampleSalt))
	if err != nil {
		t.Fatal(err)
	}
	if got := encode(body); got != exampleMessage {
		t.Errorf("encrypted:\n got %s\nwant %s", got, exampleMessage)
	}
	text, err := Decrypt(to, privateOf(t, exampleTheirs), body)
	if err != nil || string(text) != exampleText {
		t.Errorf("decrypted %q, %v", text, err)
	}
}

func TestEveryMessageIsSealedAnew(t *testing.T) {
	t.Parallel()
	to := Target{Key: bytesOf(t, exampleKey), Auth: bytesOf(t, exampleAuth)}
	long := bytes.Repeat([]byte("x"), MaxText)
	first, err := Encrypt(to, long)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Encrypt(to, long)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(first[:headerSize], second[:headerSize]) || len(first) != 4096 {
		t.Errorf("two messages share salt and key, or are %d bytes long", len(first))
	}
	for _, body := range [][]byte{first, second} {
		if text, err := Decrypt(to, privateOf(t, exampleTheirs), body); err != nil || !bytes.Equal(text, long) {
			t.Errorf("decrypted %d bytes, %v", len(text), err)
		}
	}
	if _, err := Encrypt(to, append(long, 'x')); err == nil {
		t.Error("a text that does not fit was encrypted")
	}
	first[headerSize] ^= 1
	if _, err := Decrypt(to, privateOf(t, exampleTheirs), first); err == nil {
		t.Error("a changed message was read")
	}
}

func TestWhatNoBrowserMakesIsRefused(t *testing.T) {
	t.Parallel()
	key, auth := bytesOf(t, exampleKey), bytesOf(t, exampleAuth)
	off := bytes.Clone(key)
	off[64] ^= 1
	for name, to := range map[string]Target{
		"no key": {nil, auth}, "a point off the curve": {off, auth}, "a compressed point": {key[:33], auth}, "a short secret": {key, auth[:15]}, "no secret": {key, nil},
	} {
		if to.Check() == nil {
			t.Errorf("%s: taken", name)
		}
		if _, err := Encrypt(to, nil); err == nil {
			t.Errorf("%s: encrypted", name)
		}
	}
}

func TestAuthorizeSignsWhoSends(t *testing.T) {
	t.Parallel()
	made, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := made.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	header, err := key.Authorize("https://push.example.net:8443/wpush/v2/abc?x=1", "https://example.org", until)
	if err != nil {
		t.Fatal(err)
	}
	token, public, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !ok || !strings.HasPrefix(header, "vapid t=") {
		t.Fatalf("header %q", header)
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("token %q", token)
	}
	var claims map[string]any
	if err := json.Unmarshal(bytesOf(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	if claims["aud"] != "https://push.example.net:8443" || claims["sub"] != "https://example.org" || claims["exp"] != float64(until.Unix()) {
		t.Errorf("claims %v", claims)
	}
	verifier, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), bytesOf(t, public))
	if err != nil {
		t.Fatal(err)
	}
	signature, digest := bytesOf(t, parts[2]), sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	if len(signature) != 64 || !ecdsa.Verify(verifier, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature does not hold")
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if ecdsa.Verify(&other.PublicKey, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature holds for anybody")
	}
}
