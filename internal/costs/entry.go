package costs

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/providers"
)

// appendRecord writes what is known of a call when it begins.
func appendRecord(to []byte, r *Record) []byte {
	for _, text := range [...]string{
		string(r.ID), string(r.Workspace), string(r.User), string(r.Key), r.Agent, string(r.Run), string(r.Conversation), r.Project, r.Workflow,
		r.Door, r.Asked, r.Model, r.Provider, r.Account, string(r.Unit), r.Process,
	} {
		to = appendText(to, text)
	}
	for _, n := range [...]int64{int64(r.Attempt), r.Input, r.PrefixPrint, r.PromptPrint, r.At.UnixMicro()} {
		to = binary.AppendVarint(to, n)
	}
	return to
}

// readRecord is the call that began.
func readRecord(entry []byte) (Record, error) {
	in := entryReader{rest: entry}
	r := Record{Outcome: Open}
	r.ID, r.Workspace, r.User, r.Key = ids.Usage(in.text()), ids.Workspace(in.text()), ids.User(in.text()), ids.Key(in.text())
	r.Agent, r.Run, r.Conversation, r.Project, r.Workflow = in.text(), ids.Run(in.text()), ids.Conversation(in.text()), in.text(), in.text()
	r.Door, r.Asked, r.Model, r.Provider, r.Account = in.text(), in.text(), in.text(), in.text(), in.text()
	r.Unit, r.Process = Unit(in.text()), in.text()
	r.Attempt, r.Input, r.PrefixPrint, r.PromptPrint = int(in.number()), in.number(), in.number(), in.number()
	r.At = time.UnixMicro(in.number()).UTC()
	return r, in.end()
}

// appendSettling writes how a call ended.
func appendSettling(to []byte, x *settling) []byte {
	s, u := &x.to, &x.to.Usage
	for _, text := range [...]string{string(x.r.rec.ID), string(s.Outcome), s.Model, s.Account, s.ErrorCode} {
		to = appendText(to, text)
	}
	price, priced := int64(0), int64(0)
	if x.price != nil {
		price, priced = int64(*x.price), 1
	}
	for _, n := range [...]int64{
		priced, price, s.FirstToken.Microseconds(), s.Latency.Microseconds(), count(u.Estimated), u.PremiumMilli,
		u.Input, u.CacheRead, u.CacheWrite, u.CacheWriteLong, u.AudioInput, u.ImageInput, u.Output, u.Reasoning, u.AudioOutput, u.ImageOutput,
	} {
		to = binary.AppendVarint(to, n)
	}
	return to
}

// readSettling is how a call ended, and which; whose reservation it is the
// caller finds out.
func readSettling(entry []byte) (ids.Usage, *settling, error) {
	in := entryReader{rest: entry}
	id := ids.Usage(in.text())
	x := &settling{to: Settlement{Outcome: Outcome(in.text()), Model: in.text(), Account: in.text(), ErrorCode: in.text()}}
	priced, price := in.number(), Micros(in.number())
	if priced == 1 {
		x.price = &price
	}
	x.to.FirstToken, x.to.Latency = time.Duration(in.number())*time.Microsecond, time.Duration(in.number())*time.Microsecond
	x.to.Usage = providers.Usage{
		Estimated: in.number() == 1, PremiumMilli: in.number(), Input: in.number(), CacheRead: in.number(), CacheWrite: in.number(),
		CacheWriteLong: in.number(), AudioInput: in.number(), ImageInput: in.number(), Output: in.number(), Reasoning: in.number(),
		AudioOutput: in.number(), ImageOutput: in.number(),
	}
	return id, x, in.end()
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// entryReader reads what append wrote; after a mistake it reads nothing more.
type entryReader struct {
	rest []byte
	bad  bool
}

var errEntry = errors.New("costs: an entry of the journal is not understood")

func (in *entryReader) text() string {
	n, size := binary.Uvarint(in.rest)
	if size <= 0 || n > uint64(len(in.rest)-size) {
		in.rest, in.bad = nil, true
		return ""
	}
	text := string(in.rest[size : size+int(n)])
	in.rest = in.rest[size+int(n):]
	return text
}

func (in *entryReader) number() int64 {
	n, size := binary.Varint(in.rest)
	if size <= 0 {
		in.rest, in.bad = nil, true
		return 0
	}
	in.rest = in.rest[size:]
	return n
}

func (in *entryReader) end() error {
	if in.bad || len(in.rest) > 0 {
		return errEntry
	}
	return nil
}
