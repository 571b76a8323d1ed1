package openai_test

import (
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/internal/providers"
	"github.com/fluxway/fluxway/internal/providers/openai"
	"github.com/fluxway/fluxway/internal/providers/providerstest"
)

func start(opts openai.Options) func(*testing.T, *providers.Accounts) (providers.Model, *providerstest.Fake) {
	return func(t *testing.T, accounts *providers.Accounts) (providers.Model, *providerstest.Fake) {
		f := providerstest.FakeOpenAI(t)
		opts := opts
		opts.Accounts, opts.BaseURL = accounts, f.URL+"/v1"
		m, err := openai.New(opts)
		if err != nil {
			t.Fatal(err)
		}
		return m, f
	}
}

func chatBody(streaming bool) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":"hi"}],"model":"other","stream":%v}`, streaming)
}

func TestChatContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start(openai.Options{API: openai.Chat}), Model: "gpt-test", Dialect: providers.DialectChat, RawBody: chatBody,
	})
}

func TestResponsesContract(t *testing.T) {
	t.Parallel()
	providerstest.Contract(t, providerstest.Subject{
		New: start(openai.Options{}), Model: "gpt-test", Signs: true, Dialect: providers.DialectResponses,
		RawBody: func(streaming bool) string {
			return fmt.Sprintf(`{"input":"hi","model":"other","stream":%v}`, streaming)
		},
	})
}
