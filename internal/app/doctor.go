package app

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/api"
	"github.com/fluxway/fluxway/internal/config"
	"github.com/fluxway/fluxway/internal/events/nats"
	"github.com/fluxway/fluxway/internal/identity"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/store"
	"github.com/fluxway/fluxway/internal/tools/browser"
)

// Doctor checks everything a user could have wrong and says the fix.
func Doctor(ctx context.Context, loaded *config.Loaded) []store.Finding {
	cfg := loaded.Config
	data := Data{cfg.Data}
	findings := []store.Finding{checkWarnings(loaded), checkData(data)}
	local, err := OpenLocal(ctx, cfg, nil)
	if err != nil {
		findings = append(findings, finding("database", "", err))
	} else {
		defer local.Close()
		findings = append(findings, local.DB.Doctor(ctx)...)
		findings = append(findings, checkSetup(ctx, local), checkAudit(ctx, local))
	}
	findings = append(findings, checkListen(ctx, cfg, data, local))
	findings = append(findings, checkSandbox(cfg, data), checkBrowser(cfg))
	if cfg.Events.NATSURL.Reveal() != "" {
		findings = append(findings, checkNATS(cfg))
	}
	return findings
}

// finding turns an error into what a person reads; nil is a good one.
func finding(name, good string, err error) store.Finding {
	if err == nil {
		return store.Finding{Name: name, OK: true, Detail: good}
	}
	f := fault.From(err)
	if f.Kind == fault.Internal {
		return store.Finding{Name: name, Detail: err.Error()}
	}
	return store.Finding{Name: name, Detail: f.Message, Fix: f.Hint}
}

func checkWarnings(loaded *config.Loaded) store.Finding {
	if len(loaded.Warnings) == 0 {
		return store.Finding{Name: "environment", OK: true, Detail: "no variable looks misspelt"}
	}
	return store.Finding{Name: "environment", Detail: config.Problems(loaded.Warnings).Error(), Fix: "Rename or remove the variables named."}
}

func checkData(data Data) store.Finding {
	if err := data.open(); err != nil {
		return finding("data folder", "", err)
	}
	info, err := os.Stat(data.Dir)
	if err != nil {
		return finding("data folder", "", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return store.Finding{Name: "data folder", Detail: data.Dir + " can be read by others", Fix: "chmod 700 '" + data.Dir + "'"}
	}
	return store.Finding{Name: "data folder", OK: true, Detail: data.Dir}
}

func checkSetup(ctx context.Context, l *Local) store.Finding {
	needed, err := l.Identity.SetupNeeded(ctx)
	if err != nil {
		return finding("set-up", "", err)
	}
	if needed { // not wrong: the next start prints the link
		return store.Finding{Name: "set-up", OK: true, Detail: "not done yet; fluxway up prints the link, fluxway setup does it here"}
	}
	return store.Finding{Name: "set-up", OK: true, Detail: "done"}
}

func checkAudit(ctx context.Context, l *Local) store.Finding {
	workspaces, err := l.Identity.Workspaces(identity.With(ctx, &identity.Identity{Via: identity.ViaSystem}))
	if err != nil {
		return finding("audit log", "", err)
	}
	for _, w := range workspaces {
		v, err := l.Identity.VerifyAudit(ctx, w.ID)
		if err != nil {
			return finding("audit log", "", err)
		}
		if !v.OK {
			return store.Finding{Name: "audit log", Detail: fmt.Sprintf("the chain of workspace %s is broken at row %d: %s", w.Name, v.Broken, v.Reason),
				Fix: "Someone or something changed rows outside Fluxway. Compare with a backup."}
		}
	}
	return store.Finding{Name: "audit log", OK: true, Detail: fmt.Sprintf("the chains of %d workspaces are whole", len(workspaces))}
}

// checkListen sees whether the server answers, or could listen if it were started.
func checkListen(ctx context.Context, cfg config.Config, data Data, local *Local) store.Finding {
	const name = "server"
	if data.Serving() {
		c, err := client.New(client.Options{Socket: data.Socket()})
		if err != nil {
			return finding(name, "", err)
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := c.Do(ctx, "GET", "/readyz", nil, nil); err != nil {
			return store.Finding{Name: name, Detail: "runs, but is not ready: " + err.Error(), Fix: "Look at its log; it may be starting or draining."}
		}
		return store.Finding{Name: name, OK: true, Detail: "runs and is ready at " + cfg.Listen}
	}
	if local != nil {
		needed, err := local.Identity.SetupNeeded(ctx)
		if err == nil {
			err = api.CheckBind(cfg.Listen, !needed)
		}
		if err != nil {
			return finding(name, "", err)
		}
	}
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return store.Finding{Name: name, Detail: fmt.Sprintf("does not run, and could not listen on %s: %v", cfg.Listen, err),
			Fix: "Stop what uses the port, or choose another with listen or --listen."}
	}
	_ = l.Close() // it only had to open
	return store.Finding{Name: name, OK: true, Detail: "does not run; " + cfg.Listen + " is free"}
}

// checkSandbox tries what confines the programs that agents run.
func checkSandbox(cfg config.Config, data Data) store.Finding {
	const name = "sandbox"
	box, err := newSandbox(cfg, data)
	if err != nil {
		return finding(name, "", err)
	}
	holds := box.Isolation()
	detail := holds.Summary()
	if lacks := holds.Lacking(); lacks != "" {
		detail += " Not covered: " + lacks + "."
	}
	if holds.Confined() || cfg.Tools.Unconfined {
		return store.Finding{Name: name, OK: true, Detail: detail}
	}
	return store.Finding{Name: name, Detail: detail + " Agents cannot run commands.", Fix: "Run it on Linux with Landlock or namespaces, install bubblewrap, or set tools.unconfined if you trust your agents with your files."}
}

// checkBrowser looks for the Chromium that agents browse with; without one everything else works.
func checkBrowser(cfg config.Config) store.Finding {
	const name = "browser"
	path, err := browser.Find(cfg.Tools.Browser)
	if err != nil && cfg.Tools.Browser == "" {
		return store.Finding{Name: name, OK: true, Detail: "none; agents can browse once a Chromium is installed"}
	}
	return finding(name, path, err)
}

func checkNATS(cfg config.Config) store.Finding {
	f, err := nats.Open(nats.Options{URL: cfg.Events.NATSURL.Reveal()})
	if err != nil {
		return store.Finding{Name: "nats", Detail: err.Error(), Fix: "Check that the server runs and that events.nats_url is right."}
	}
	f.Close()
	return store.Finding{Name: "nats", OK: true, Detail: "answers"}
}
