const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LETTERS = 12;

/**
 * Returns a new client id: the time and 71 random bits, in 22 characters. It never begins with the reserved `aqc-`.
 * Source: contract, Order input fields.
 */
export function newClientId(nowMs: number, random: () => number): string {
  let id = `c${Math.max(0, nowMs).toString(36)}-`;
  for (let count = 0; count < RANDOM_LETTERS; count++)
    id += LETTERS.charAt(Math.floor(random() * LETTERS.length));
  return id;
}
