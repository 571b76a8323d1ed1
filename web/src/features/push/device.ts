import { browserName } from "@/lib/agent";
import { push } from "@/lib/messages/push";
import { readLocal, writeLocal } from "@/lib/storage";
import { register, serverKey } from "./queries";

/** What this browser can do: be told, or why not. */
export type Ability = "able" | "denied" | "insecure" | "missing";

export function ability(): Ability {
  if (!window.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "missing";
  return Notification.permission === "denied" ? "denied" : "able";
}

const patienceMs = 10_000;

/** The worker that shows notifications, once it runs. */
async function worker(): Promise<ServiceWorkerRegistration> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(push.noWorker)), patienceMs);
  });
  return await Promise.race([navigator.serviceWorker.ready, late]).finally(() => clearTimeout(timer));
}

// Who wanted to be told here: after signing in again they are, and nobody else is.
const place = "fluxway.push";

/** Asks the person, then the browser's maker, and tells the server. False: the person said no. */
export async function turnOn(user: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const { pushManager } = await worker();
  const applicationServerKey = await serverKey();
  const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const made = await subscribe().catch(async (error: unknown) => {
    // One that was made for another server of this address is in the way.
    const old = await pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return await subscribe();
  });
  await register(browserName(navigator.userAgent), made);
  writeLocal(place, user);
  return true;
}

/** Ends it in the browser; the server hears of it apart. */
export async function turnOff(): Promise<void> {
  writeLocal(place, undefined);
  await (await (await worker()).pushManager.getSubscription())?.unsubscribe();
}

/** Has whoever wanted to be told here be told again after signing in: what the server knew ended with the session. */
export async function resume(user: string, known: () => Promise<boolean>): Promise<void> {
  if (readLocal(place, "") !== user || ability() !== "able" || Notification.permission !== "granted") return;
  const made = await (await worker()).pushManager.getSubscription();
  if (made && !(await known())) await register("", made);
}
