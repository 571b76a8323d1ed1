package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/guard"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/observe"
)

// postureAPI is how safe the server is, and what it last logged.
type postureAPI struct{ s *Server }

func (a postureAPI) routes() []route {
	return []route{
		{"GET", "/api/v1/system/posture", "system:write", "How safe this server and workspace are set up, and what would make them safer.", handler(a.posture)},
		{"GET", "/api/v1/system/logs", "system:write", "The last lines of the server's log, the oldest first; secrets are hidden.", handler(a.logs, whileDown)},
	}
}

// Posture is what was looked at.
type Posture struct {
	Findings []PostureFinding `json:"findings"`
}

// PostureFinding is one thing that makes a server safe or not.
type PostureFinding struct {
	Name   string `json:"name" enum:"network,encryption,two_factor,keys,guard,two_person,sandbox,data_folder,backups,audit,telemetry"`
	State  string `json:"state" enum:"ok,advice,risk" doc:"advice: fine, and could be better."`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty" doc:"What to do, unless it is ok."`
	Page   string `json:"page,omitempty" doc:"Where in the web UI that is done."`
}

const (
	postureOK     = "ok"
	postureAdvice = "advice"
	postureRisk   = "risk"

	oldBackup  = 7 * 24 * time.Hour
	unusedKey  = 90 * 24 * time.Hour
	postureTop = 500 // people and keys that are looked at
)

func (a postureAPI) posture(ctx context.Context, _ none) (Posture, error) {
	out := Posture{Findings: []PostureFinding{a.network(), a.encryption()}}
	for _, look := range []func(context.Context) (PostureFinding, error){a.twoFactor, a.keys, a.guard, a.twoPerson, a.sandbox, a.dataFolder, a.backups, a.audit} {
		found, err := look(ctx)
		if err != nil {
			return Posture{}, err
		}
		if found.Name != "" {
			out.Findings = append(out.Findings, found)
		}
	}
	out.Findings = append(out.Findings, a.telemetry())
	return out, nil
}

func (a postureAPI) network() PostureFinding {
	host, _, err := net.SplitHostPort(a.s.opts.Listen)
	if err == nil && isLoopback(host) {
		return PostureFinding{Name: "network", State: postureOK, Detail: "The server listens on this machine only."}
	}
	return PostureFinding{
		Name: "network", State: postureAdvice, Detail: "The server listens on " + a.s.opts.Listen + " and can be reached from other machines.",
		Fix: "Set listen to 127.0.0.1 if nobody else needs it.", Page: "/settings/config?q=listen",
	}
}

func (a postureAPI) encryption() PostureFinding {
	host, _, err := net.SplitHostPort(a.s.opts.Listen)
	switch {
	case strings.HasPrefix(a.s.opts.PublicURL, "https://"):
		return PostureFinding{Name: "encryption", State: postureOK, Detail: "Browsers reach the server over HTTPS at " + a.s.opts.PublicURL + "."}
	case err == nil && isLoopback(host):
		return PostureFinding{Name: "encryption", State: postureOK, Detail: "Nothing leaves this machine unencrypted."}
	}
	return PostureFinding{
		Name: "encryption", State: postureRisk, Detail: "Passwords and answers cross the network unencrypted.",
		Fix: "Put a proxy with HTTPS in front and set public_url.", Page: "/settings/config?q=public_url",
	}
}

func (a postureAPI) twoFactor(ctx context.Context) (PostureFinding, error) {
	members, err := a.s.directory.Users(ctx, page.Query{Limit: postureTop})
	if err != nil {
		return PostureFinding{}, fmt.Errorf("listing users: %w", err)
	}
	var without []string
	for _, m := range members.Data {
		if m.Role == identity.Admin && !m.TOTP {
			without = append(without, cmp.Or(m.Name, m.Login))
		}
	}
	if len(without) == 0 {
		return PostureFinding{Name: "two_factor", State: postureOK, Detail: "Every administrator signs in with a second factor."}, nil
	}
	return PostureFinding{
		Name: "two_factor", State: postureAdvice, Detail: "Without a second factor: " + cut(strings.Join(without, ", ")) + ".",
		Fix: "Turn on two-step sign-in for administrators.", Page: "/settings/account",
	}, nil
}

// sandbox is what confines the programs that agents run.
func (a postureAPI) sandbox(context.Context) (PostureFinding, error) {
	if a.s.opts.Tools == nil {
		return PostureFinding{}, nil
	}
	holds := a.s.opts.Tools.Isolation()
	if holds.Mechanism == "" {
		return PostureFinding{}, nil
	}
	found := PostureFinding{Name: "sandbox", State: postureOK, Detail: "A program that an agent runs: " + holds.Summary()}
	if lacks := holds.Lacking(); lacks != "" {
		found.Detail += " Not covered: " + lacks + "."
	}
	for _, aspect := range holds.Aspects {
		if !aspect.Active {
			found.State, found.Fix = postureAdvice, "Run the server where namespaces and cgroups can be made, or install bubblewrap."
		}
	}
	if !holds.Confined() {
		found.State, found.Fix = postureRisk, "Run the server on Linux with Landlock or namespaces; until then leave tools.unconfined off."
	}
	return found, nil
}

func (a postureAPI) keys(ctx context.Context) (PostureFinding, error) {
	list, err := a.s.directory.Keys(ctx, page.Query{Limit: postureTop})
	if err != nil {
		return PostureFinding{}, fmt.Errorf("listing keys: %w", err)
	}
	var stale []string
	for _, k := range list.Data {
		last := k.CreatedAt
		if k.UsedAt.After(last) {
			last = k.UsedAt
		}
		if k.RevokedAt.IsZero() && time.Since(last) > unusedKey {
			stale = append(stale, k.Name)
		}
	}
	if len(stale) == 0 {
		return PostureFinding{Name: "keys", State: postureOK, Detail: "No API key lies unused."}, nil
	}
	return PostureFinding{
		Name: "keys", State: postureAdvice, Detail: "Not used for 90 days: " + cut(strings.Join(stale, ", ")) + ".",
		Fix: "Revoke the keys that nobody needs.", Page: "/settings/keys",
	}, nil
}

func (a postureAPI) guard(ctx context.Context) (PostureFinding, error) {
	if a.s.opts.Guard == nil {
		return PostureFinding{}, nil
	}
	policy, err := a.s.opts.Guard.Policy(ctx, workspaceOf(ctx))
	if err != nil {
		return PostureFinding{}, fmt.Errorf("reading the policy: %w", err)
	}
	switch {
	case policy.Levels.Dangerous == guard.Permit:
		return PostureFinding{
			Name: "guard", State: postureRisk, Detail: "Agents may use tools that can do harm without being asked about.",
			Fix: "Have them asked about or refused.", Page: "/safety/policy",
		}, nil
	case policy.Secrets == guard.Permit:
		return PostureFinding{
			Name: "guard", State: postureRisk, Detail: "Agents may send what looks like a secret to other machines.",
			Fix: "Have it asked about or refused.", Page: "/safety/policy",
		}, nil
	}
	return PostureFinding{Name: "guard", State: postureOK, Detail: "What can do harm is judged, and asked about where it cannot be undone."}, nil
}

func (a postureAPI) twoPerson(ctx context.Context) (PostureFinding, error) {
	if a.s.opts.Guard == nil {
		return PostureFinding{}, nil
	}
	policy, err := a.s.opts.Guard.Policy(ctx, workspaceOf(ctx))
	if err != nil {
		return PostureFinding{}, fmt.Errorf("reading the policy: %w", err)
	}
	if policy.TwoPerson {
		return PostureFinding{Name: "two_person", State: postureOK, Detail: "Critical calls need a second person."}, nil
	}
	return PostureFinding{
		Name: "two_person", State: postureAdvice, Detail: "Whoever asked for the work may approve critical calls of it alone.",
		Fix: "Require a second person, if several people work here.", Page: "/safety/policy",
	}, nil
}

func (a postureAPI) dataFolder(context.Context) (PostureFinding, error) {
	dir := a.s.opts.DataDir
	if dir == "" {
		return PostureFinding{}, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return PostureFinding{}, fmt.Errorf("looking at the data folder: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return PostureFinding{Name: "data_folder", State: postureRisk, Detail: dir + " can be read by other people of this machine.", Fix: "chmod 700 '" + dir + "'"}, nil
	}
	return PostureFinding{Name: "data_folder", State: postureOK, Detail: "Only the owner of the server can read " + dir + "."}, nil
}

func (a postureAPI) backups(ctx context.Context) (PostureFinding, error) {
	if a.s.opts.Backups == "" {
		return PostureFinding{}, nil
	}
	list, err := systemAPI(a).backups(ctx, none{})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return PostureFinding{}, err
	}
	advice := PostureFinding{Name: "backups", State: postureAdvice, Detail: "There is no backup yet.", Fix: "Make one, and a schedule for it.", Page: "/settings/backup"}
	if len(list.Data) == 0 {
		return advice, nil
	}
	newest := list.Data[0].CreatedAt
	if time.Since(newest) > oldBackup {
		advice.Detail = "The newest backup is of " + newest.Format(time.DateOnly) + "."
		return advice, nil
	}
	return PostureFinding{Name: "backups", State: postureOK, Detail: "The newest backup is less than a week old."}, nil
}

func (a postureAPI) audit(ctx context.Context) (PostureFinding, error) {
	v, err := a.s.directory.VerifyAudit(ctx, workspaceOf(ctx))
	if err != nil {
		return PostureFinding{}, fmt.Errorf("checking the audit: %w", err)
	}
	if !v.OK {
		return PostureFinding{
			Name: "audit", State: postureRisk, Detail: fmt.Sprintf("The chain of the audit is broken at row %d: %s.", v.Broken, v.Reason),
			Fix: "Rows were changed outside Fluxway. Compare with a backup.", Page: "/settings/audit",
		}, nil
	}
	return PostureFinding{Name: "audit", State: postureOK, Detail: "The chain of the audit is whole."}, nil
}

func (a postureAPI) telemetry() PostureFinding {
	if a.s.observe.CapturesContent() {
		return PostureFinding{
			Name: "telemetry", State: postureAdvice, Detail: "What is said is written on spans, which may leave this machine.",
			Fix: "Turn telemetry.capture_content off once it is not needed.", Page: "/settings/config?q=capture_content",
		}
	}
	return PostureFinding{Name: "telemetry", State: postureOK, Detail: "What is said is not put on spans."}
}

type logsQuery struct {
	Level string `query:"level" enum:"debug,info,warn,error" doc:"At least as bad as this."`
	Limit int    `query:"limit" min:"1" max:"400" doc:"The newest of them; 0: 200."`
}

// ServerLogs are the last lines of the log.
type ServerLogs struct {
	Level string    `json:"level" enum:"debug,info,warn,error" doc:"What is logged at all; a setting."`
	Lines []LogLine `json:"lines" doc:"The oldest first."`
}

// LogLine is one of them.
type LogLine struct {
	At     time.Time      `json:"at"`
	Level  string         `json:"level" enum:"debug,info,warn,error"`
	Text   string         `json:"text"`
	Fields map[string]any `json:"fields"`
}

var levelRank = map[string]int{"debug": 0, "info": 1, "warn": 2, "error": 3}

func (a postureAPI) logs(_ context.Context, in logsQuery) (ServerLogs, error) {
	out := ServerLogs{Level: strings.ToLower(a.s.observe.Level().String()), Lines: []LogLine{}}
	for _, line := range a.s.observe.Recent() {
		if levelRank[line.Level] >= levelRank[in.Level] {
			out.Lines = append(out.Lines, logLine(line))
		}
	}
	if most := cmp.Or(in.Limit, 200); len(out.Lines) > most {
		out.Lines = out.Lines[len(out.Lines)-most:]
	}
	return out, nil
}

func logLine(line observe.Line) LogLine {
	if line.Fields == nil {
		line.Fields = map[string]any{}
	}
	return LogLine(line)
}
