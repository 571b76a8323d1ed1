package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/fluxway/fluxway/internal/ids"
	"github.com/fluxway/fluxway/internal/kit/deadline"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

// Call takes one call all the way. An error means that the caller's ctx ended or
// that the journal could not be written; everything else is a Result.
func (t *Belt) Call(ctx context.Context, call Call) (Result, error) {
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	e, err := t.find(call.Tool)
	if err != nil {
		return Fails(err), nil
	}
	call.Tool = e.spec.Name
	if t.ws != "" { // a belt never acts for another workspace
		call.Workspace = t.ws
	}
	if call.Args, err = e.args.read(call.Args); err != nil {
		return Fails(err), nil
	}
	entry := Entry{ID: ids.New[ids.ToolCall](), Spec: e.spec, Call: call, At: time.Now()}
	if w, ok := e.tool.(Waiter); ok && call.Answer != "" && w.Waits(call) {
		entry.Ruling = Ruling{Verdict: Allow, Rule: "tools.going_on", Reason: "It goes on with a call that was allowed, after a person's answer."}
	} else if entry.Ruling, err = t.box.judge(ctx, e.spec, call); err != nil {
		return Result{}, err
	}
	switch entry.Ruling.Verdict {
	case Allow:
		return t.box.run(ctx, e, entry)
	case Ask:
		entry.Result = waiting(e.spec, entry.Ruling)
	default:
		entry.Result = refusal(e.spec, entry.Ruling)
	}
	return entry.Result, t.box.finished(ctx, entry)
}

// Outside rules on a call that runs elsewhere, as a command of an outside agent does, and keeps it in the journal. Like every
// call, it is refused when the gate cannot judge it.
func (b *Toolbox) Outside(ctx context.Context, spec Spec, call Call) (Ruling, error) {
	entry := Entry{ID: ids.New[ids.ToolCall](), Spec: spec, Call: call, At: time.Now()}
	var err error
	if entry.Ruling, err = b.judge(ctx, spec, call); err != nil {
		return Ruling{}, err
	}
	entry.Took = time.Since(entry.At)
	return entry.Ruling, b.finished(ctx, entry)
}

// judgement is what the gate said.
type judgement struct {
	ruling Ruling
	err    error
}

// warmTimes is how many times its patience a gate may take before its first rulings.
const warmTimes = 6

var errGateLate = errors.New("the gate took too long")

// judge asks the gate; a gate that cannot answer, or not in time, refuses.
func (b *Toolbox) judge(ctx context.Context, spec Spec, call Call) (Ruling, error) {
	if b.warms != nil && b.warms.Cold(spec, call) {
		warming, cancel := context.WithTimeoutCause(ctx, warmTimes*b.opts.Patience, errGateLate)
		b.warms.Warm(warming)
		cancel()
	}
	judging := deadline.After(ctx, b.opts.Patience, errGateLate)
	defer judging.End()
	var j judgement
	if b.punctual {
		j = b.ask(judging, spec, call)
	} else {
		j = b.askAside(judging, spec, call)
	}
	if j.err == nil {
		return j.ruling, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return Ruling{}, cause
	}
	b.log.ErrorContext(ctx, "the gate could not judge", "tool", spec.Name, "err", j.err)
	return broken(), nil
}

// askAside asks a gate that may not come back in time.
func (b *Toolbox) askAside(ctx context.Context, spec Spec, call Call) judgement {
	done := make(chan judgement, 1)
	b.wg.Go(func() { done <- b.ask(ctx, spec, call) })
	select {
	case j := <-done:
		return j
	case <-ctx.Done():
		return judgement{err: context.Cause(ctx)}
	}
}

// ask turns a panic of the gate into an error.
func (b *Toolbox) ask(ctx context.Context, spec Spec, call Call) (j judgement) {
	defer func() {
		if p := recover(); p != nil {
			b.log.ErrorContext(ctx, "the gate panicked", "tool", spec.Name, "panic", p, "stack", string(debug.Stack()))
			j = judgement{err: fmt.Errorf("the gate panicked: %v", p)}
		}
	}()
	j.ruling, j.err = b.opts.Gate.Judge(ctx, spec, call)
	return j
}

func broken() Ruling {
	return Ruling{Verdict: Refuse, Rule: "tools.gate_broken", Reason: "The guard could not judge the call.",
		Hint: "Do not try again; tell the person that the guard is broken."}
}

func (b *Toolbox) run(ctx context.Context, e *entry, entry Entry) (Result, error) {
	if b.opts.Auditor != nil {
		if err := b.opts.Auditor.Started(ctx, entry); err != nil {
			return Result{}, fmt.Errorf("journalling the start of %s: %w", e.spec.Name, err)
		}
	}
	result, err := b.within(ctx, e, entry.Call)
	if err == nil {
		result = b.cut(ctx, e.spec, entry.Call, result)
	} else {
		cause := context.Cause(ctx)
		result = Fails(err)
		if cause != nil && errors.Is(err, cause) {
			result.Code = "cancelled"
			entry.Result, entry.Took = result, time.Since(entry.At)
			return Result{}, errors.Join(cause, b.finished(ctx, entry))
		}
	}
	entry.Result, entry.Took = result, time.Since(entry.At)
	return result, b.finished(ctx, entry)
}

func (b *Toolbox) finished(ctx context.Context, entry Entry) error {
	if b.opts.Auditor == nil {
		return nil
	}
	if err := b.opts.Auditor.Finished(context.WithoutCancel(ctx), entry); err != nil {
		return fmt.Errorf("journalling the end of %s: %w", entry.Spec.Name, err)
	}
	return nil
}

// outcome is what a tool left behind.
type outcome struct {
	result Result
	err    error
}

// within runs a tool for as long as it may and a grace more; then nobody waits for it.
func (b *Toolbox) within(ctx context.Context, e *entry, call Call) (Result, error) {
	runCtx := deadline.After(ctx, e.spec.Timeout, e.late)
	defer runCtx.End()
	if e.punctual {
		b.wg.Add(1)
		defer b.wg.Done()
		return settle(runCtx, b.guarded(runCtx, e, call))
	}
	o, ok := b.aside(ctx, runCtx, e, call)
	if ok {
		return settle(runCtx, o)
	}
	b.log.WarnContext(ctx, "a tool did not stop", "tool", e.spec.Name, "run", call.Run)
	if cause := context.Cause(ctx); cause != nil {
		return Result{}, cause
	}
	return Result{}, e.late.WithHint("It did not react and may still be working: look at what it did before you try again.")
}

// wait is what a call that is made aside is waited for with.
type wait struct {
	done  chan outcome
	timer *time.Timer
}

func newWait() any { return &wait{make(chan outcome, 1), time.NewTimer(0)} }

// aside runs a tool that may not come back in time, and says whether it did. The timer here is one that is used again and again: that
// of runCtx is set only if the tool itself looks at it.
func (b *Toolbox) aside(ctx, runCtx context.Context, e *entry, call Call) (outcome, bool) {
	w := b.waits.Get().(*wait)
	w.timer.Reset(e.spec.Timeout)
	b.wg.Go(func() { w.done <- b.guarded(runCtx, e, call) })
	select {
	case o := <-w.done:
		return o, b.over(w)
	case <-ctx.Done():
	case <-w.timer.C:
	}
	w.timer.Reset(b.opts.Grace)
	select {
	case o := <-w.done:
		return o, b.over(w)
	case <-w.timer.C:
		return outcome{}, false // the tool still has the channel
	}
}

// over lets the next call use it.
func (b *Toolbox) over(w *wait) bool {
	w.timer.Stop()
	b.waits.Put(w)
	return true
}

// settle prefers the reason the call was stopped over the tool's own words for it.
func settle(ctx context.Context, o outcome) (Result, error) {
	cause := context.Cause(ctx)
	if o.err != nil && cause != nil && (errors.Is(o.err, context.Canceled) || errors.Is(o.err, context.DeadlineExceeded)) {
		return Result{}, cause
	}
	return o.result, o.err
}

// guarded turns a panic into an error.
func (b *Toolbox) guarded(ctx context.Context, e *entry, call Call) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			b.log.ErrorContext(ctx, "a tool panicked", "tool", e.spec.Name, "run", call.Run, "panic", p, "stack", string(debug.Stack()))
			o = outcome{err: fault.New(fault.Internal, "tool_crashed", "%s crashed; what it had begun may be half done.", e.spec.Name).
				WithHint("Look at the state of things, then try another way.")}
		}
	}()
	result, err := e.tool.Run(ctx, call)
	if err != nil {
		b.log.DebugContext(ctx, "a tool failed", "tool", e.spec.Name, "run", call.Run, "err", err)
	}
	return outcome{result, err}
}
