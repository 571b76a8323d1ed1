// Package pushtest gives tests a push service on this machine and browsers that subscribe to it.
//
// In:    a test.
// Out:   a Service that decrypts and checks what it is sent; Devices.
// Keeps: nothing beyond the test.
// Says:  nothing.
// Not here: anything that is not a test.
package pushtest

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/push"
	"github.com/fluxway/fluxway/internal/push/webpush"
)

const patience = 20 * time.Second

// Got is a message that arrived.
type Got struct {
	push.Notification
	Device string
	Header http.Header
	Claims Claims
	Bytes  int // of the text before it was encrypted
}

// Claims is who says to have sent a message.
type Claims struct {
	Audience string `json:"aud"`
	Expires  int64  `json:"exp"`
	Subject  string `json:"sub"`
}

// Device is a browser.
type Device struct {
	Endpoint string
	Key      []byte
	Auth     []byte
	private  *ecdh.PrivateKey
}

// Service is a push service. Messages wait in Got.
type Service struct {
	t      testing.TB
	server *httptest.Server
	got    chan Got

	mu      sync.Mutex // guards the fields below
	devices map[string]*Device
	answers map[string][]int
	key     string
}

// New starts a service; it stops when the test ends.
func New(t testing.TB) *Service {
	t.Helper()
	s := &Service{t: t, got: make(chan Got, 100), devices: map[string]*Device{}, answers: map[string][]int{}}
	s.server = httptest.NewTLSServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

// Net is a dialler that may reach the service although it is on this machine, and its transport, which trusts it.
func (s *Service) Net() (*safenet.Dialer, *http.Transport) {
	s.t.Helper()
	dialer, err := safenet.New(safenet.Options{Allow: []string{s.server.Listener.Addr().String()}})
	if err != nil {
		s.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.server.Certificate())
	transport := dialer.Transport()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	s.t.Cleanup(transport.CloseIdleConnections)
	return dialer, transport
}

// Expect is the key that senders must have.
func (s *Service) Expect(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// Device makes a browser with a subscription.
func (s *Service) Device(name string) *Device {
	s.t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	d := &Device{Endpoint: s.server.URL + "/push/" + name, Key: private.PublicKey().Bytes(), Auth: make([]byte, webpush.AuthSize), private: private}
	if _, err := rand.Read(d.Auth); err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.devices[name] = d
	return d
}

// Answer has the next messages to a device answered with these statuses; later ones are taken.
func (s *Service) Answer(name string, statuses ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = append(s.answers[name], statuses...)
}

// Next waits for the next message that was taken.
func (s *Service) Next() Got {
	s.t.Helper()
	select {
	case g := <-s.got:
		return g
	case <-time.After(patience):
		s.t.Fatal("no message came")
		return Got{}
	}
}

// Nothing says what is there that nobody waited for.
func (s *Service) Nothing() {
	s.t.Helper()
	select {
	case g := <-s.got:
		s.t.Errorf("%s got %+v", g.Device, g.Notification)
	default:
	}
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/push/")
	s.mu.Lock()
	device, key := s.devices[name], s.key
	status := http.StatusCreated
	if list := s.answers[name]; len(list) > 0 {
		status, s.answers[name] = list[0], list[1:]
	}
	s.mu.Unlock()
	if device == nil {
		status = http.StatusGone
	}
	if status/100 != 2 {
		w.WriteHeader(status)
		return
	}
	got, err := read(r, device, key)
	if err != nil {
		s.t.Errorf("a message to %s: %v", name, err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	got.Device = name
	w.WriteHeader(status)
	s.got <- got
}

// read decrypts a message and checks who sent it, as a push service and a browser do.
func read(r *http.Request, device *Device, key string) (got Got, err error) {
	got.Header = r.Header
	if got.Claims, err = claims(r, key); err != nil {
		return got, err
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Encoding") != "aes128gcm" {
		return got, fmt.Errorf("%s with encoding %q", r.Method, r.Header.Get("Content-Encoding"))
	}
	if topic := r.Header.Get("Topic"); len(topic) > 32 {
		return got, fmt.Errorf("topic %q is too long", topic)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return got, err
	}
	text, err := webpush.Decrypt(webpush.Target{Key: device.Key, Auth: device.Auth}, device.private, body)
	if err != nil {
		return got, err
	}
	got.Bytes = len(text)
	return got, json.Unmarshal(text, &got.Notification)
}

func claims(r *http.Request, key string) (c Claims, err error) {
	token, public, ok := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 || key != "" && public != key {
		return c, fmt.Errorf("authorization %q", r.Header.Get("Authorization"))
	}
	point, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return c, err
	}
	verifier, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return c, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return c, fmt.Errorf("signature %q", parts[2])
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(verifier, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return c, fmt.Errorf("the signature does not hold")
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, err
	}
	if c.Audience != "https://"+r.Host {
		return c, fmt.Errorf("meant for %s, not for %s", c.Audience, r.Host)
	}
	return c, nil
}
