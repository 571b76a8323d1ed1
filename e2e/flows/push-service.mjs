// A push service and the browser's end of it: it takes what the server sends over TLS and decrypts it (RFC 8291).
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";

/** Its certificate and key, good for 127.0.0.1 and for nothing else. */
const pem = fileURLToPath(new URL("push-service.pem", import.meta.url));

/** What the server must be told to reach it: it is on this machine, and nobody vouches for it. */
export const env = { SSL_CERT_FILE: pem, FLUXWAY_TOOLS_PRIVATE_HOSTS: "127.0.0.1" };

export class PushService {
  #heard = [];
  #waiting = [];

  /** Starts a service with one browser subscribed to it. */
  static async start() {
    const service = new PushService();
    const text = readFileSync(pem);
    service.server = createServer({ cert: text, key: text }, (request, answer) => service.#take(request, answer));
    await new Promise((resolve) => service.server.listen(0, "127.0.0.1", resolve));
    service.endpoint = `https://127.0.0.1:${service.server.address().port}/push/phone`;
    service.browser = createECDH("prime256v1");
    service.browser.generateKeys();
    service.auth = randomBytes(16);
    return service;
  }

  /** What PushSubscription.toJSON() gives. */
  get subscription() {
    return {
      endpoint: this.endpoint,
      expirationTime: null,
      keys: {
        p256dh: this.browser.getPublicKey().toString("base64url"),
        auth: this.auth.toString("base64url"),
      },
    };
  }

  /** The next message, decrypted, with the headers it came with. */
  async next() {
    const one = this.#heard.shift();
    if (one) return one;
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("No message came.")), 30_000);
      this.#waiting.push((message) => {
        clearTimeout(timer);
        resolve(message);
      });
    });
  }

  async #take(request, answer) {
    const parts = [];
    for await (const part of request) parts.push(part);
    try {
      const message = {
        ...JSON.parse(this.#decrypt(Buffer.concat(parts))),
        headers: request.headers,
        claims: signed(request.headers.authorization),
      };
      answer.writeHead(201).end();
      const waits = this.#waiting.shift();
      if (waits) waits(message);
      else this.#heard.push(message);
    } catch (error) {
      answer.writeHead(400).end(String(error));
    }
  }

  #decrypt(body) {
    const [salt, theirs] = [body.subarray(0, 16), body.subarray(21, 86)];
    const expand = (key, with_, info, size) => Buffer.from(hkdfSync("sha256", key, with_, info, size));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.browser.getPublicKey(), theirs]);
    const input = expand(this.browser.computeSecret(theirs), this.auth, info, 32);
    const key = expand(input, salt, "Content-Encoding: aes128gcm\0", 16);
    const nonce = expand(input, salt, "Content-Encoding: nonce\0", 12);
    const open = createDecipheriv("aes-128-gcm", key, nonce);
    open.setAuthTag(body.subarray(-16));
    const text = Buffer.concat([open.update(body.subarray(86, -16)), open.final()]);
    if (text.at(-1) !== 2) throw new Error("The record is not the last one.");
    return text.subarray(0, -1).toString();
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Who says to have sent a message; throws unless they signed it. */
function signed(header) {
  const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(header);
  const [head, claims, signature] = token.split(".");
  const point = Buffer.from(key, "base64url");
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
  const holds = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!holds) throw new Error("The signature does not hold.");
  return { ...JSON.parse(Buffer.from(claims, "base64url").toString()), key };
}
