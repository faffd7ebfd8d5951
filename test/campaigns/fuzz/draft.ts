import { createHmac } from "node:crypto";
import type { Caller } from "./callers.ts";

/** One parameter: its name, its value as text, and whether JSON shows it without quotes. */
export type Field = { name: string; text: string; bare: boolean };

/** The place of the signature in a REST request. */
export type Place = "header" | "query" | "form" | "nowhere";

/** A REST request whose parameters can still be changed by name. */
export type Draft = {
  caller: Caller;
  method: string;
  path: string;
  query: Field[];
  body: Field[];
  bodyAs: "json" | "form";
  place: Place;
};

/** A REST request as text, before or after signing; every part may be changed. */
export type DraftRequest = {
  caller: Caller;
  method: string;
  path: string;
  query: string;
  body: Buffer;
  headers: [name: string, value: string][];
  chunked: boolean;
  place: Place;
};

export const field = (name: string, value: string | number | boolean): Field => ({
  name,
  text: String(value),
  bare: typeof value !== "string",
});

/** The hex digits of HMAC-SHA256, computed independently of the code under test. */
export const hmac = (secret: string, payload: string | Uint8Array): string =>
  createHmac("sha256", secret).update(payload).digest("hex");

/** Percent-encoded UTF-8; half a surrogate pair becomes the UTF-8 replacement character. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString("utf8"));

const pairs = (fields: readonly Field[]): string =>
  fields.map(({ name, text }) => `${encoded(name)}=${encoded(text)}`).join("&");

/** Fields as the text of a JSON object, in their order; a field may occur twice. */
export const jsonOf = (fields: readonly Field[]): string =>
  `{${fields.map(({ name, text, bare }) => `${JSON.stringify(name)}:${bare ? text : JSON.stringify(text)}`).join(",")}}`;

/** The draft as text, not signed. */
export function written({ caller, method, path, query, body, bodyAs, place }: Draft): DraftRequest {
  const empty = body.length === 0;
  const text = bodyAs === "json" ? jsonOf(body) : pairs(body);
  const type = bodyAs === "json" ? "application/json" : "application/x-www-form-urlencoded";
  return {
    ...{ caller, method, path, place, chunked: false },
    query: pairs(query),
    body: Buffer.from(empty ? "" : text),
    headers: empty ? [] : [["Content-Type", type]],
  };
}

/** The draft signed by its caller, with the signature in its place. */
export function signed(request: DraftRequest): DraftRequest {
  const { caller, query, body, headers, place } = request;
  const key: [string, string] = ["X-MBX-APIKEY", caller.apiKey];
  if (place === "nowhere") return { ...request, headers: [...headers, key] };
  const signature = hmac(caller.secret, Buffer.concat([Buffer.from(query), body]));
  const pair = `signature=${signature}`;
  const after = (text: string): string => (text === "" ? pair : `${text}&${pair}`);
  const isForm = body.length > 0 && body[0] !== 0x7b;
  if (place === "form" && isForm) {
    return { ...request, headers: [...headers, key], body: Buffer.concat([body, Buffer.from(`&${pair}`)]) };
  }
  if (place === "header") return { ...request, headers: [...headers, key, ["signature", signature]] };
  return { ...request, headers: [...headers, key], query: after(query) };
}

/** The bytes of a request on the wire. */
export function bytesOf({ method, path, query, body, headers, chunked }: DraftRequest): Buffer {
  const target = query === "" ? path : `${path}?${query}`;
  const lines = ["Host: 127.0.0.1", ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (chunked) lines.push("Transfer-Encoding: chunked");
  else if (body.length > 0) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, chunked ? inChunks(body) : body]);
}

function inChunks(body: Buffer): Buffer {
  const half = body.length >> 1;
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  const chunks = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")]);
}
