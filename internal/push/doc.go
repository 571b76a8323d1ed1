// Package push tells people on their devices what needs them while they look elsewhere.
//
// In:    facts of guard, runs and costs, as they are said; what browsers gave when they subscribed; each person's wishes.
// Out:   notifications, encrypted for one browser each, to the push services of the browsers' makers.
// Keeps: push_keys, push_subscriptions, push_wishes, push_shown.
// Says:  nothing. Hears: guard.asked, guard.answered, guard.expired, guard.withdrawn, runs.waiting, runs.answered, runs.finished,
// runs.failed, runs.cancelled, costs.budget_exceeded.
// Not here: what the notification looks like and what its buttons do (web/public/sw.js); how a message is sealed (push/webpush);
// who may answer (identity).
//
// A fact and the job that announces it commit together, so what was asked is announced once, whatever restarts in between.
// That job finds the devices of those whom the fact concerns and makes one job for each, which tries until the push service
// has it or it is worth nothing any more. A device hears of the workspace that its session looks at, as its inbox does.
package push
