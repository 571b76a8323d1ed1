// Finds an element the way a person would: it can be seen, and it is what stands at its place.
async (a) => {
  const deep = (root, selector) => {
    const found = [...root.querySelectorAll(selector)];
    for (const e of root.querySelectorAll("*")) if (e.shadowRoot) found.push(...deep(e.shadowRoot, selector));
    return found;
  };
  const visible = (e) => {
    const r = e.getBoundingClientRect(), s = getComputedStyle(e);
    return r.width > 0 && r.height > 0 && s.visibility !== "hidden" && s.display !== "none";
  };
  const tidy = (s) => (s || "").replace(/\s+/g, " ").trim();
  const pressed = (e) => e.tagName === "INPUT" && /^(button|submit|reset)$/.test(e.type) && e.value;
  const names = (e) => [e.getAttribute("aria-label"), e.innerText, pressed(e), ...[...(e.labels || [])].map((l) => l.innerText), e.placeholder, e.alt, e.title, e.name].map(tidy).filter(Boolean);
  const words = (e) => names(e)[0] || "";
  const says = (e) => `<${e.tagName.toLowerCase()}>` + (words(e) ? ` “${words(e).slice(0, 80)}”` : "");
  const wanted = tidy(a.text).toLowerCase();
  const pick = () => {
    let list = deep(document, a.selector || "a,button,input,select,textarea,label,summary,option,[role],[onclick],[tabindex]");
    const match = (all) => {
      if (!wanted) return all;
      const exact = all.filter((e) => names(e).some((n) => n.toLowerCase() === wanted));
      return exact.length ? exact : all.filter((e) => names(e).some((n) => n.toLowerCase().includes(wanted)));
    };
    let found = match(list);
    if (!found.length && wanted && !a.selector) found = match(deep(document, "body *").filter((e) => !e.children.length));
    return { seen: found.filter(visible), all: found };
  };
  const above = (top, e) => {
    for (let n = e; n; n = n.assignedSlot || n.parentNode || n.host) if (n === top) return true;
    return false;
  };
  const until = performance.now() + (a.wait || 0);
  let found, covered;
  for (;;) {
    try { found = pick(); } catch (e) { return { problem: "bad_selector", says: String(e.message) }; }
    const e = found.seen[0];
    if (e) {
      e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const r = e.getBoundingClientRect();
      const x = Math.min(Math.max(r.x + r.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(r.y + r.height / 2, 0), innerHeight - 1);
      const hit = document.elementFromPoint(x, y);
      const label = e.labels && [...e.labels].some((l) => hit && above(l, hit));
      if (!a.reach || (hit && (above(e, hit) || above(hit, e) || label))) {
        const kind = e.tagName === "SELECT" ? "select" : e.tagName === "TEXTAREA" || e.isContentEditable ? "text" : e.tagName === "INPUT" ? "input:" + e.type : "other";
        if (a.set !== undefined) {
          const problem = set(e, kind);
          if (problem) return problem;
        }
        return { x, y, box: { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height }, kind, says: says(e), more: found.seen.length - 1, disabled: !!e.disabled };
      }
      covered = hit ? says(hit) : "something outside the page";
    }
    if (performance.now() > until) break;
    await new Promise((r) => setTimeout(r, 50));
  }
  if (covered) return { problem: "element_covered", says: covered };
  return { problem: "element_not_found", hidden: found.all.length };

  // set prepares an element for typing, or gives it its value where nobody types.
  function set(e, kind) {
    const fire = () => { for (const n of ["input", "change"]) e.dispatchEvent(new Event(n, { bubbles: true })); };
    if (kind === "select") {
      const to = tidy(a.set).toLowerCase();
      const o = [...e.options].find((o) => o.value === a.set || tidy(o.label).toLowerCase() === to);
      if (!o) return { problem: "no_option", says: [...e.options].slice(0, 30).map((o) => tidy(o.label)).join(", ") };
      e.value = o.value;
      fire();
    } else if (/^input:(date|time|month|week|datetime-local|color|range)$/.test(kind)) {
      e.value = a.set;
      fire();
    } else if (kind === "other" || /^input:(checkbox|radio|file|button|submit|reset|image)$/.test(kind)) {
      return { problem: "not_typable", says: says(e) };
    } else {
      e.focus();
      if (!a.append && e.select) e.select();
      else if (!a.append) getSelection().selectAllChildren(e);
      else if (e.setSelectionRange && e.selectionStart !== null) e.setSelectionRange(e.value.length, e.value.length);
    }
  }
}
