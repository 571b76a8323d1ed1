package costs

import (
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/spool"
	"github.com/fluxway/fluxway/internal/providers"
)

// appendRecord writes what is known of a call when it begins.
func appendRecord(to []byte, r *Record) []byte {
	for _, text := range [...]string{
		string(r.ID), string(r.Workspace), string(r.User), string(r.Key), r.Agent, string(r.Run), string(r.Conversation), r.Project, r.Workflow,
		r.Door, r.Asked, r.Model, r.Provider, r.Account, string(r.Unit), r.Process,
	} {
		to = spool.AppendText(to, text)
	}
	for _, n := range [...]int64{int64(r.Attempt), r.Input, r.PrefixPrint, r.PromptPrint, r.At.UnixMicro()} {
		to = spool.AppendNumber(to, n)
	}
	return to
}

// readRecord is the call that began.
func readRecord(entry []byte) (Record, error) {
	in := spool.Reader{Rest: entry}
	r := Record{Outcome: Open}
	r.ID, r.Workspace, r.User, r.Key = ids.Usage(in.Text()), ids.Workspace(in.Text()), ids.User(in.Text()), ids.Key(in.Text())
	r.Agent, r.Run, r.Conversation, r.Project, r.Workflow = in.Text(), ids.Run(in.Text()), ids.Conversation(in.Text()), in.Text(), in.Text()
	r.Door, r.Asked, r.Model, r.Provider, r.Account = in.Text(), in.Text(), in.Text(), in.Text(), in.Text()
	r.Unit, r.Process = Unit(in.Text()), in.Text()
	r.Attempt, r.Input, r.PrefixPrint, r.PromptPrint = int(in.Number()), in.Number(), in.Number(), in.Number()
	r.At = time.UnixMicro(in.Number()).UTC()
	return r, in.End()
}

// appendSettling writes how a call ended.
func appendSettling(to []byte, x *settling) []byte {
	s, u := &x.to, &x.to.Usage
	for _, text := range [...]string{string(x.r.rec.ID), string(s.Outcome), s.Model, s.Account, s.ErrorCode} {
		to = spool.AppendText(to, text)
	}
	price, priced := int64(0), int64(0)
	if x.price != nil {
		price, priced = int64(*x.price), 1
	}
	for _, n := range [...]int64{
		priced, price, s.FirstToken.Microseconds(), s.Latency.Microseconds(), count(u.Estimated), u.PremiumMilli,
		u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.AudioInput, u.ImageInput, u.Output, u.Reasoning, u.AudioOutput, u.ImageOutput,
	} {
		to = spool.AppendNumber(to, n)
	}
	return to
}

// readSettling is how a call ended, and which; whose reservation it is the
// caller finds out.
func readSettling(entry []byte) (ids.Usage, *settling, error) {
	in := spool.Reader{Rest: entry}
	id := ids.Usage(in.Text())
	x := &settling{to: Settlement{Outcome: Outcome(in.Text()), Model: in.Text(), Account: in.Text(), ErrorCode: in.Text()}}
	priced, price := in.Number(), Micros(in.Number())
	if priced == 1 {
		x.price = &price
	}
	x.to.FirstToken, x.to.Latency = time.Duration(in.Number())*time.Microsecond, time.Duration(in.Number())*time.Microsecond
	x.to.Usage = providers.Usage{
		Estimated: in.Number() == 1, PremiumMilli: in.Number(), Input: in.Number(), CacheRead: in.Number(), CacheWrite: in.Number(),
		CacheWriteLong: in.Number(), AudioInput: in.Number(), ImageInput: in.Number(), Output: in.Number(), Reasoning: in.Number(),
		AudioOutput: in.Number(), ImageOutput: in.Number(),
	}
	return id, x, in.End()
}
