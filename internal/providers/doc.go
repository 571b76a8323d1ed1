// Package providers is the one way to reach a model, whoever serves it.
//
// In:    a Request in our own words: system, messages with typed parts, tools, limits, hints; its Model is what the provider calls the model.
// Out:   a Stream of Chunks that ends with a finish chunk, or with a fault; Usage by kind; embeddings, speech and transcripts through sibling ports.
// Keeps: providers_accounts (credentials, sealed); the catalogue of models and prices is in memory.
// Says:  providers.account_added, providers.account_changed, providers.account_removed; each attempt to an Observer.
// Not here: what an attempt costs and who pays (costs); HTTP doors (api); running the tools a model asks for (tools).
//
// A stream that ends without a finish chunk is broken and says so: Next answers
// a fault with CodeBroken, never io.EOF.
//
// The wrappers are stacked in app, from the adapter outwards:
//
//	Retry(NewBreaker(FirstTokenTimeout(Observe(adapter, …), …), …), …)
//
// and a Router over all providers finds models by name, alias and rule.
//
// Adapters (anthropic, openai, gemini, ollama, copilot, demo, scripted) hang
// below; providerstest holds the contract every one of them keeps, and a fake
// of each vendor.
package providers
