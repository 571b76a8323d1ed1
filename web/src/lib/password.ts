export type Strength = { score: 0 | 1 | 2 | 3 | 4; tooShort: boolean };

/** The shortest password the server takes. */
export const minPassword = 10;

/**
 * Judges a password by length, variety and repetition. It guides the person; the server has the last word.
 */
export function strength(password: string, personal: readonly string[] = []): Strength {
  const tooShort = password.length < minPassword;
  if (password === "") return { score: 0, tooShort: true };
  const distinct = new Set(password.toLowerCase()).size;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const bits = Math.min(password.length, distinct * 2) * Math.log2(kinds * 16 + 10);
  const known = personal.some(
    (word) => word.length > 2 && password.toLowerCase().includes(word.toLowerCase()),
  );
  const runs = /(.)\1{2,}|0123|1234|2345|abcd|qwer|password/i.test(password);
  const worth = bits * (known ? 0.6 : 1) * (runs ? 0.6 : 1);
  if (tooShort) return { score: 1, tooShort };
  if (worth < 50) return { score: 1, tooShort };
  if (worth < 70) return { score: 2, tooShort };
  if (worth < 95) return { score: 3, tooShort };
  return { score: 4, tooShort };
}
