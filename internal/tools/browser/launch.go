package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/tools/sandbox"
)

// usual are the names Chromium goes by, and where the systems without a PATH for it keep it.
var usual = []string{
	"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge-stable", "microsoft-edge", "brave-browser", "headless_shell",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium", "/snap/bin/chromium",
}

// Find gives the path of a Chromium: the one named, or the first of the usual ones.
func Find(named string) (string, error) {
	if named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fault.New(fault.Unavailable, "browser_missing", "The browser %s that the settings name cannot be started.", named).
				WithHint("Whoever runs this server has to correct tools.browser, or remove it.").Because(err)
		}
		return path, nil
	}
	for _, name := range usual {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fault.New(fault.Unavailable, "browser_missing", "There is no Chromium on this machine.").
		WithHint("Whoever runs this server can install one (Debian and Ubuntu: apt install chromium; Fedora: dnf install chromium; macOS: Google Chrome) or name one in tools.browser. Until then use fetch_url to read pages.")
}

// arguments are what Chromium is started with. Contexts bring their own proxy; whatever has none leads nowhere.
func arguments(profile string, confined bool) []string {
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--disable-quic",
		"--no-first-run", "--no-default-browser-check", "--disable-default-apps", "--disable-extensions", "--disable-sync", "--disable-component-update",
		"--disable-background-networking", "--disable-client-side-phishing-detection", "--disable-domain-reliability", "--disable-breakpad", "--disable-crash-reporter",
		"--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,NetworkTimeServiceQuerying",
		"--metrics-recording-only", "--no-pings", "--mute-audio", "--hide-scrollbars", "--disable-gpu", "--password-store=basic", "--use-mock-keychain",
		"--disable-hang-monitor", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-prompt-on-repost", "--window-size=1280,800", "--log-level=3",
	}
	if confined { // our sandbox holds the whole browser, and lets nobody inside make another
		args = append(args, "--no-sandbox", "--no-zygote", "--disable-setuid-sandbox")
	}
	return append(args, "about:blank")
}

// limits are those of the whole browser.
var limits = sandbox.Limits{CPU: 12 * time.Hour, Memory: 3 << 30, Processes: 1024, FileSize: 256 << 20, Disk: 2 << 30}

// ends are the pipes to a browser: what we write, what we read.
type ends struct {
	write, read *os.File
	theirs      [2]*os.File // what it reads, what it writes
}

func newEnds() (e ends, err error) {
	if e.theirs[0], e.write, err = os.Pipe(); err != nil {
		return e, err
	}
	if e.read, e.theirs[1], err = os.Pipe(); err != nil {
		return e, errors.Join(err, e.theirs[0].Close(), e.write.Close())
	}
	return e, nil
}

func (e ends) close() {
	for _, f := range []io.Closer{e.write, e.read, e.theirs[0], e.theirs[1]} {
		_ = f.Close() // some were closed before
	}
}

// execute runs Chromium until it ends or ctx does. It is put into our sandbox where that confines files; else it has its own.
func (b *Browser) execute(ctx context.Context, program, profile string, e ends) error {
	if b.opts.Sandbox != nil && b.opts.Sandbox.Isolation().Confined() {
		// The sandbox passes on the standard streams only, so a shell makes them the pipes that Chromium expects.
		const script = `exec "$@" 3<&0 4>&1 </dev/null >"$0" 2>&1`
		exit, err := b.opts.Sandbox.Run(ctx, sandbox.Job{
			Argv:   append([]string{"sh", "-c", script, filepath.Join(profile, logName), program}, arguments(profile, true)...),
			Folder: profile, Network: true, Limits: limits, Stdin: e.theirs[0], Output: e.theirs[1],
		})
		if err != nil {
			return err
		}
		return fmt.Errorf("the browser ended with %d%s: %s", exit.Code, of(exit.Limit), tail(profile))
	}
	if os.Geteuid() == 0 && !b.opts.Unconfined {
		return fault.New(fault.Unavailable, "no_sandbox", "This machine cannot confine a browser of the user root.").
			WithHint("Whoever runs this server can run it as another user, or allow programs without a sandbox in its settings.")
	}
	if runtime.GOOS == "windows" {
		return fault.New(fault.Unavailable, "browser_missing", "The browser tools do not work on Windows yet.").WithHint("Use fetch_url to read pages.")
	}
	cmd := exec.CommandContext(ctx, program, arguments(profile, os.Geteuid() == 0)...)
	cmd.ExtraFiles = e.theirs[:]
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + profile, "LANG=C.UTF-8"}
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("the browser ended: %w", err)
	}
	return cmp.Or(context.Cause(ctx), errors.New("the browser ended"))
}

func of(limit string) string {
	if limit == "" {
		return ""
	}
	return ", by the limit on " + limit
}

// logName is the file in the profile with what the browser has to say.
const logName = "log"

// tail is the end of it. The file is opened below the profile only: what is there was written by the browser.
func tail(profile string) string {
	root, err := os.OpenRoot(profile)
	if err != nil {
		return err.Error()
	}
	defer root.Close()
	f, err := root.Open(logName)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	text := make([]byte, 2000)
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	n, err := f.ReadAt(text, max(0, info.Size()-int64(len(text))))
	if err != nil && !errors.Is(err, io.EOF) {
		return err.Error()
	}
	return strings.TrimSpace(string(text[:n]))
}
