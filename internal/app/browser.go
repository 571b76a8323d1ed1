package app

import (
	"path/filepath"

	"github.com/fluxway/fluxway/internal/kit/safenet"
	"github.com/fluxway/fluxway/internal/tools/browser"
)

// openBrowser makes the browser of the tools. Chromium is looked for and started when an agent opens a page.
func (a *App) openBrowser(dialer *safenet.Dialer) (err error) {
	a.browser, err = browser.New(browser.Options{
		Program: a.cfg.Tools.Browser, Sandbox: a.sandbox, Unconfined: a.cfg.Tools.Unconfined, Net: dialer, Reach: a.guard.Reach, Folder: a.data.browser(), Log: a.log,
	})
	return err
}

// browser is where the profiles of browsers are while they run.
func (d Data) browser() string { return filepath.Join(d.Dir, "browser") }
