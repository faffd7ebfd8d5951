import { CALLERS, type Caller } from "./callers.ts";
import { hmac } from "./draft.ts";

const HEAD_END = "\r\n\r\n";
const SIGNATURE = /[0-9a-fA-F]{64}/g;
const LAST_PAIR = /(?:^|&)signature=[^&]*$/;

/** Query and body as a signature may cover them: with and without a signature pair at their end. */
const forms = (text: string): readonly string[] => [...new Set([text, text.replace(LAST_PAIR, "")])];

/**
 * Finds the caller whose signature covers a REST request in any reading of its bytes. The judge accepts more readings
 * than any server, so a request that it attributes to no caller is unsigned. Source: contract, Authentication.
 */
export function signersOf(bytes: Buffer): readonly Caller[] {
  const text = bytes.toString("latin1");
  const named = CALLERS.filter(({ apiKey }) => text.includes(apiKey));
  if (named.length === 0) return [];
  const headEnd = text.indexOf(HEAD_END);
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const bodies = bodiesOf(head, headEnd < 0 ? "" : text.slice(headEnd + HEAD_END.length));
  // Chunks may divide a signature.
  const found = signaturesIn([head, ...bodies].join("\n"));
  const target = head.split(/\r\n/, 1)[0]?.split(" ")[1] ?? "";
  const queryAt = target.indexOf("?");
  const queries = forms(queryAt < 0 ? "" : target.slice(queryAt + 1));
  const payloads = bodies.flatMap((body) =>
    forms(body).flatMap((end) => queries.map((query) => Buffer.from(query + end, "latin1"))),
  );
  return named.filter(({ secret }) => payloads.some((payload) => found.has(hmac(secret, payload))));
}

const signaturesIn = (text: string): ReadonlySet<string> =>
  new Set(text.match(SIGNATURE)?.map((digits) => digits.toLowerCase()));

/** Possible readings of the body: all the rest, as much as a length says, or the chunks. */
function bodiesOf(head: string, rest: string): readonly string[] {
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
  return [...new Set([rest, "", rest.slice(0, Number(length ?? 0)), withoutChunks(rest)])];
}

function withoutChunks(rest: string): string {
  let body = "";
  for (let at = 0; ; ) {
    const size = /^([0-9a-fA-F]+)[^\r]*\r\n/.exec(rest.slice(at, at + 100));
    const count = Number.parseInt(size?.[1] ?? "0", 16);
    if (size === null || count === 0) return body;
    const start = at + size[0].length;
    body += rest.slice(start, start + count);
    at = start + count + 2;
  }
}

const MEMBER = /"((?:[^"\\]|\\.)*)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,{}[\]"]+)/g;

/** The scalar members of the params of a message, in their order, values as text. */
function membersOf(message: string): readonly (readonly [name: string, text: string])[] {
  const params = message.slice(message.indexOf('"params"') + 8);
  return [...params.matchAll(MEMBER)].flatMap(([, name = "", value = ""]) => {
    const [key, text] = [unquoted(`"${name}"`), unquoted(value)];
    return key === undefined || text === undefined ? [] : [[key, text] as const];
  });
}

function unquoted(lexeme: string): string | undefined {
  if (!lexeme.startsWith('"')) return lexeme;
  try {
    return JSON.parse(lexeme) as string;
  } catch {
    return undefined;
  }
}

/** The text that the signature of a message covers: decoded values sorted by name. Source: contract, WebSocket 2. */
export function payloadOfMessage(message: string): string {
  return joined(membersOf(message), (text) => text);
}

function joined(members: ReturnType<typeof membersOf>, write: (text: string) => string): string {
  return members
    .filter(([name]) => name !== "signature")
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, text]) => `${write(name)}=${write(text)}`)
    .join("&");
}

/** Finds the caller who signed a message of the private WebSocket. */
export function signersOfMessage(message: string): readonly Caller[] {
  const found = signaturesIn(message);
  const named = CALLERS.filter(({ apiKey }) => message.includes(apiKey));
  if (found.size === 0 || named.length === 0) return [];
  const members = membersOf(message);
  const payloads = [joined(members, (text) => text), joined(members, encoded)];
  return named.filter(({ secret }) => payloads.some((payload) => found.has(hmac(secret, payload))));
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
