package app

import (
	"path/filepath"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools/browser"
	"github.com/fluxway/fluxway/internal/tools/builtin"
)

// openBrowser makes the browser of the tools. Chromium is looked for and started when an agent opens a page.
func (a *App) openBrowser(dialer *safenet.Dialer) (err error) {
	a.browser, err = browser.New(browser.Options{
		Program: a.cfg.Tools.Browser, Sandbox: a.sandbox, Unconfined: a.cfg.Tools.Unconfined, Net: dialer, Reach: a.guard.Reach, Folder: a.data.browser(), Log: a.log,
	})
	return err
}

// openRooms makes the keeper of sandboxes that last; none is made before an agent asks for one.
func (a *App) openRooms() (err error) {
	a.rooms, err = builtin.NewRooms(builtin.RoomsOptions{Sandbox: a.sandbox, Folder: a.data.sandboxes(), Log: a.log})
	return err
}

// sandboxes is where sandboxes have their files while they last.
func (d Data) sandboxes() string { return filepath.Join(d.Dir, "sandboxes") }

// forNPM is what programs get, and npm's own settings.
func forNPM(environ []string) []string {
	out := append([]string{}, forPrograms(environ)...)
	for _, e := range environ {
		if strings.HasPrefix(strings.ToLower(e), "npm_config_") {
			out = append(out, e)
		}
	}
	return out
}

// browser is where the profiles of browsers are while they run.
func (d Data) browser() string { return filepath.Join(d.Dir, "browser") }
