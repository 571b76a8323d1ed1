/** Reads JSON kept on this device; blocked storage and foreign content read as the fallback. */
export function readLocal<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Keeps JSON on this device; a full or blocked store loses it silently, because nothing else can be done. */
export function writeLocal(key: string, value: unknown): void {
  try {
    if (value === undefined || value === "") localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private mode or quota: the person keeps working, only the copy on the device is missing.
  }
}

/** Removes everything of one prefix, used on sign-out so that the next person sees no drafts. */
export function forgetLocal(prefix: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
  } catch {
    // Nothing stored is reachable, so nothing has to be removed.
  }
}
