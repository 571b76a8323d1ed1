package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fluxway/fluxway/internal/kit/fault"
)

// evaluated is the answer to a script.
type evaluated struct {
	Result struct {
		Value          json.RawMessage `json:"value"`
		Unserializable string          `json:"unserializableValue"`
		Object         string          `json:"objectId"`
		Subtype        string          `json:"subtype"`
	} `json:"result"`
	Exception *exception `json:"exceptionDetails"`
}

type exception struct {
	Text      string `json:"text"`
	Exception struct {
		Description string          `json:"description"`
		Value       json.RawMessage `json:"value"`
	} `json:"exception"`
}

func (e *exception) words() string {
	switch {
	case e.Exception.Description != "":
		return e.Exception.Description
	case len(e.Exception.Value) > 0:
		return e.Text + " " + string(e.Exception.Value)
	}
	return e.Text
}

// box is a rectangle of the page.
type box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// clip bounds a picture of it: browsers and models cannot take any size.
func (b box) clip() map[string]any {
	return map[string]any{"x": b.X, "y": b.Y, "width": max(1, min(b.Width, 4000)), "height": max(1, min(b.Height, 8000)), "scale": 1}
}

// located is an element that was found, or why none was.
type located struct {
	Problem  string  `json:"problem"`
	Says     string  `json:"says"`
	Hidden   int     `json:"hidden"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
	Box      box     `json:"box"`
	Kind     string  `json:"kind"`
	More     int     `json:"more"`
	Disabled bool    `json:"disabled"`
}

// words says what was done to it, and that others would have fitted too.
func (l located) words(did string) string {
	if l.More > 0 {
		return fmt.Sprintf("%s %s, the first of %d that fit.", did, l.Says, l.More+1)
	}
	return fmt.Sprintf("%s %s.", did, l.Says)
}

// typed reports whether its text is typed; the script has set the others.
func (l located) typed() bool {
	switch strings.TrimPrefix(l.Kind, "input:") {
	case "select", "date", "time", "month", "week", "datetime-local", "color", "range":
		return false
	}
	return true
}

func (t *Tab) locate(ctx context.Context, g *page, arg map[string]any) (located, error) {
	var at located
	if err := t.inside(ctx, g, pageScript, arg, &at); err != nil {
		return at, err
	}
	return at, at.fault()
}

func (l located) fault() error {
	switch l.Problem {
	case "":
		return nil
	case "bad_selector":
		return badSelector(l.Says)
	case "element_covered":
		return fault.New(fault.Conflict, "element_covered", "The element is covered by %s.", l.Says).WithHint("Close what is in front of it first.")
	case "no_option":
		return fault.New(fault.Invalid, "no_option", "The list has no such entry.").WithHint("It has: %s.", l.Says)
	case "not_typable":
		return fault.New(fault.Invalid, "not_typable", "Nothing can be typed into %s.", l.Says).WithHint("Use browser_click for buttons, checkboxes and links; files cannot be uploaded.")
	}
	f := fault.New(fault.NotFound, "element_not_found", "No visible element fits.")
	if l.Hidden > 0 {
		return f.WithHint("%d fit and are hidden: something may have to be opened first.", l.Hidden)
	}
	return f.WithHint("Look at the page with browser_extract (format html) or browser_screenshot.")
}

func badSelector(why string) error {
	return fault.New(fault.Invalid, "bad_selector", "The selector cannot be read: %s", why).WithParam("selector").WithHint("It is one of CSS, such as #name, .class or button[type=submit]. Give text to find an element by what it shows.")
}

// press moves the mouse there and presses its button.
func (t *Tab) press(ctx context.Context, g *page, x, y float64) error {
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": x, "y": y}
		if kind != "mouseMoved" {
			params["button"], params["clickCount"] = "left", 1
		}
		if err := t.proc.wire.call(ctx, g.session, "Input.dispatchMouseEvent", params, nil); err != nil {
			return err
		}
	}
	return nil
}

// enter presses the enter key.
func (t *Tab) enter(ctx context.Context, g *page) error {
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
		if kind == "keyDown" {
			params["text"] = "\r"
		}
		if err := t.proc.wire.call(ctx, g.session, "Input.dispatchKeyEvent", params, nil); err != nil {
			return err
		}
	}
	return nil
}
