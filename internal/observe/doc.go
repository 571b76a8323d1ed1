// Package observe is the one way the program says how it is doing: log lines,
// spans and metrics.
//
// In:    Options; instruments asked for by name; spans started around work.
// Out:   a *slog.Logger that hides secrets, finished spans to Sinks and to an OTLP endpoint, a Prometheus page.
// Keeps: counters and a bounded queue of finished spans, in memory only.
// Says:  nothing. It stands below events.
// Not here: storing spans (traces implements Sink); request ids and access logs (api); what may be captured of prompts (config decides, SetContent obeys).
package observe
