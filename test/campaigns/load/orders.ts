import { signBody, signQuery, signSocketParameters } from "../../../src/signing/index.ts";
import { textFrame } from "./frame-wire.ts";
import { httpPost } from "./http-wire.ts";

/** Accounts of the service under load, each with one key. */
export const ACCOUNTS = 64;

/** The key of an account. */
export const keyOf = (accountId: number): Readonly<{ apiKey: string; secret: string }> => ({
  apiKey: `load-key-of-account-${accountId}-${"k".repeat(32)}`,
  secret: `load-secret-of-account-${accountId}-${"s".repeat(32)}`,
});

const accountOf = (n: number): number => (n % ACCOUNTS) + 1;

const clientIdOf = (n: number): string => `load-order-number-${n}`;

const termsOf = (n: number) => ({
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.125",
  price: `${4_000 + (n % 1_000)}.25`,
  newClientOrderId: clientIdOf(n),
});

/** A signed placement as an HTTP request: JSON body, nonce in the query, signature in the header. */
export function restPlacement(n: number): Buffer {
  const { apiKey, secret } = keyOf(accountOf(n));
  const query = `nonce=${n}`;
  const { body, signature } = signBody({ secret, query, parameters: termsOf(n) });
  return httpPost(`/api/order?${query}`, { headers: { "X-MBX-APIKEY": apiKey, signature }, body });
}

/** The same placement as a WebSocket message, signed at `timestamp`. */
export function socketPlacement(n: number, timestamp: number): Buffer {
  const { apiKey, secret } = keyOf(accountOf(n));
  const parameters = { apiKey, timestamp, recvWindow: 60_000, ...termsOf(n) };
  const params = signSocketParameters({ secret, parameters });
  return textFrame(JSON.stringify({ id: `${n}`, method: "order.place", params }));
}

/** The cancel of a placement, as an HTTP request. */
export function restCancel(n: number): Buffer {
  const { apiKey, secret } = keyOf(accountOf(n));
  const parameters = { symbol: "BTC/USD", origClientOrderId: clientIdOf(n), nonce: `c${n}` };
  const target = `/api/order?${signQuery({ secret, parameters })}`;
  return Buffer.from(`DELETE ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-MBX-APIKEY: ${apiKey}\r\n\r\n`);
}
