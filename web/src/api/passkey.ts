import { passkey as words } from "@/lib/messages/passkey";
import { call, client } from "./client";
import { isCode } from "./errors";

type Begun = { options: unknown };

/** What a browser answers a ceremony with. */
type Credential = Record<string, unknown>;

/** Asks the browser to make a passkey. */
export const makePasskey = ({ options }: Begun): Promise<Credential> =>
  told(() => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  });

/** Asks the browser for a passkey, and has it sign. */
export const signWithPasskey = ({ options }: Begun): Promise<Credential> =>
  told(() => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    );
    return navigator.credentials.get({ publicKey });
  });

/** What the browser gave, or why not in words: it says little itself, so that pages learn nothing about people. */
async function told(ask: () => Promise<unknown>): Promise<Credential> {
  if (!("PublicKeyCredential" in window)) throw new Error(words.missing);
  try {
    const made = await ask();
    if (!made) throw new Error(words.cancelled);
    return (made as PublicKeyCredential).toJSON() as unknown as Credential;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Error(error.name === "InvalidStateError" ? words.known : words.cancelled, { cause: error });
  }
}

/** Confirms with a passkey of this person; it counts for an hour. */
export async function confirm(): Promise<void> {
  const begun = await call(client.POST("/api/v1/session/confirm/begin"));
  await call(client.POST("/api/v1/session/confirm", { body: { credential: await signWithPasskey(begun) } }));
}

/** Does something; where that needs a passkey first, asks for it and does it again. */
export async function confirmed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isCode(error, "confirm_with_passkey")) throw error;
    await confirm();
    return await work();
  }
}
