// Time-based one-time codes (RFC 6238: SHA-1, six digits, thirty seconds), as an authenticator app makes them.
import { createHmac } from "node:crypto";

const step = 30_000;

function decode(base32) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let bits = "";
  for (const letter of base32.toUpperCase().replace(/[^A-Z2-7]/g, "")) {
    bits += letters.indexOf(letter).toString(2).padStart(5, "0");
  }
  return Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of a secret at a time; `ahead` counts steps from now, for servers that take each code only once. */
export function code(secret, ahead = 0, now = Date.now()) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / step) + ahead));
  const mac = createHmac("sha1", decode(secret)).update(counter).digest();
  const at = mac[19] & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
