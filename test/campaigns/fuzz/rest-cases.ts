import type { Random } from "../../../src/common/random.ts";
import { ROUTES, type RouteDescriptor } from "../../../src/requests/index.ts";
import { CALLERS, LENT, TRADERS } from "./callers.ts";
import { bytesOf, type Draft, type DraftRequest, type Field, field, signed, written } from "./draft.ts";
import type { KnownOrders } from "./known-orders.ts";
import {
  DRAFT_MUTATIONS,
  type Mutation,
  SIGNATURE_MUTATIONS,
  TEXT_MUTATIONS,
  withBytes,
} from "./mutations.ts";
import { TERMS } from "./terms.ts";

/** The inputs of a case: its own random numbers, and the results so far. */
export type Making = Readonly<{
  random: Random;
  index: number;
  run: string;
  known: KnownOrders;
  nowMs: number;
}>;

/** How a case was made. */
export type Kind =
  | "valid"
  | "mutated, then signed"
  | "signed, then mutated"
  | "signature or key changed"
  | "replayed elsewhere"
  | "bytes mutated"
  | "random bytes"
  | "frames mutated"
  | "handshake mutated"
  | "public stream";

/** One HTTP request as bytes. */
export type RestCase = Readonly<{
  transport: "rest";
  kind: Kind;
  bytes: Buffer;
  /** It may leave its connection in any state, and is sent on a separate one that is half closed after it. */
  alone: boolean;
}>;

/**
 * Routes in proportion to their use; a cancel of everything is rare, because it removes the orders that other cases
 * need.
 */
const WEIGHTED: readonly RouteDescriptor[] = ROUTES.flatMap((route) => {
  const times = route.access === "PUBLIC" ? 1 : route.name.startsWith("order.place") ? 16 : 4;
  return Array.from({ length: route.name === "openOrders.cancelAll" ? 1 : times }, () => route);
});

/** A request of a route that is valid in every way. */
export function validDraft(
  { random, index, run, known, nowMs }: Making,
  route: RouteDescriptor = random.pick(WEIGHTED),
): Draft {
  const caller = random.below(8) === 0 ? random.pick(CALLERS) : random.pick(TRADERS);
  const lent = caller.accountIds.includes(LENT) && random.below(4) === 0;
  const accountId = lent ? LENT : caller.accountId;
  const own = TERMS[route.name]({ random, known, accountId, nowMs, id: `${run}-${index}` });
  const fields = lent ? [...own, field("account", LENT)] : own;
  const stamp = stampOf(route, { random, index, nowMs });
  const inBody = route.method === "POST" ? random.below(5) > 0 : false;
  const form = route.method === "POST" && random.below(4) === 0;
  return {
    ...{ caller, method: route.method, path: route.path },
    query: inBody ? stamp : [...fields, ...stamp],
    body: inBody ? fields : [],
    bodyAs: form ? "form" : "json",
    place: route.access === "PUBLIC" ? "nowhere" : random.pick(["header", "header", "query", "form"]),
  };
}

function stampOf(
  { access, scheme }: RouteDescriptor,
  { random, index, nowMs }: Pick<Making, "random" | "index" | "nowMs">,
): Field[] {
  if (access === "PUBLIC") return [];
  if (scheme !== "V2_QUERY" && random.below(2) === 0) return [field("nonce", `${nowMs}-${index}`)];
  const window = random.below(4) === 0 ? [field("recvWindow", random.pick(["60000", "5000.5", "9999"]))] : [];
  return [field("timestamp", nowMs - random.below(1_000)), field("nonce", String(index)), ...window];
}

function mutate<T>(request: T, random: Random, mutations: readonly Mutation<T>[]): void {
  for (let count = 1 + random.below(3); count > 0; count--) random.pick(mutations)(request, random);
}

const HOT = "192.0.2.1";

/** The address that the proxy in front reports: one of many, rarely one that sends too many requests. */
function withAddress(request: DraftRequest, random: Random): DraftRequest {
  const address = random.below(15) === 0 ? HOT : `10.${random.below(4)}.${random.below(250)}.1`;
  return { ...request, headers: [["X-Forwarded-For", address], ...request.headers] };
}

const CLEAN_TARGET = /^[\x21-\x7e]*$/;
const CLEAN_VALUE = /^[\x20-\x7e\x80-\xff]*$/;

/** Whether the next request of its connection begins where it ends, for every reader. */
function isWhole({ method, path, query, headers, body, chunked }: DraftRequest): boolean {
  const head = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, query.length);
  return (
    CLEAN_TARGET.test(path + query) &&
    headers.every(([name, value]) => CLEAN_VALUE.test(value) && !["Expect", "Upgrade"].includes(name)) &&
    (body.length <= 32_768 || !chunked) &&
    body.length < 100_000 &&
    head < 12_000 &&
    /^(GET|POST|DELETE|PUT|PATCH|HEAD|OPTIONS)$/.test(method)
  );
}

const restCase = (kind: Kind, request: DraftRequest, random: Random): RestCase => {
  const sent = withAddress(request, random);
  return { transport: "rest", kind, bytes: bytesOf(sent), alone: !isWhole(sent) };
};

/** A request that succeeds in the purpose of its route. */
export function validCase(making: Making): RestCase {
  return restCase("valid", signed(written(validDraft(making))), making.random);
}

/** A request that was changed before it was signed, so that its signature is valid and the readers see it. */
export function signedMutant(making: Making): RestCase {
  const { random } = making;
  const draft = validDraft(making);
  if (random.below(3) > 0) mutate(draft, random, DRAFT_MUTATIONS);
  const text = written(draft);
  if (random.below(2) === 0) mutate(text, random, TEXT_MUTATIONS);
  return restCase("mutated, then signed", signed(text), random);
}

/** A request that was changed after it was signed. */
export function unsignedMutant(making: Making): RestCase {
  const { random } = making;
  const request = signed(written(validDraft(making)));
  mutate(request, random, TEXT_MUTATIONS);
  return restCase("signed, then mutated", request, random);
}

/** A request with another key or signature than its own. */
export function forged(making: Making): RestCase {
  const { random } = making;
  const request = signed(written(validDraft(making)));
  mutate(request, random, SIGNATURE_MUTATIONS);
  return restCase("signature or key changed", request, random);
}

/**
 * An earlier accepted request as another one: the same signed bytes for a use that the rule "Queries may share a signature, and one cancel may follow a query" refuses. A cancel may follow
 * a read from the same address.
 */
export function replayed(before: DraftRequest, { random }: Making): RestCase {
  const first = ROUTES.find(({ method, path }) => method === before.method && path === before.path);
  const others = ROUTES.filter(
    ({ name, access, method }) =>
      access !== "PUBLIC" &&
      name !== first?.name &&
      (first?.access === "TRADE" || (access === "TRADE" && method !== "DELETE")),
  );
  const { method, path } = random.pick(others);
  return restCase("replayed elsewhere", { ...before, method, path }, random);
}

const LINES = [
  ...["\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", "Content-Length: 4\r\n", "Content-Length: +4\r\n"],
  ...[
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip\r\n",
    "Host: other\r\n",
    " folded\r\n",
    "a:b\r\n",
  ],
  ...[
    "Content-Length: 99999999999999999999\r\n",
    "Connection: Upgrade\r\nUpgrade: websocket\r\n",
    "Expect: 100-continue\r\n",
  ],
  ...["HTTP/1.0", "HTTP/9.9", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "0\r\n\r\n", "ffffffff\r\n", "é"],
];

const BYTE_MUTATIONS: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => withBytes(bytes, random, (old) => old ^ (1 << random.below(8))),
  (bytes, random) => withBytes(bytes, random, () => random.below(256)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => inserted(bytes, random, Buffer.from(random.pick(LINES), "latin1")),
  (bytes, random) => inserted(bytes, random, Buffer.from(random.pick(LINES), "latin1")),
  (bytes, random) => inserted(bytes, random, noise(random, random.below(200))),
  (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(40))]);
  },
  (bytes, random) => {
    const length = random.pick([0, 1, 5, 100, 32_769, 500_000]);
    return Buffer.from(
      bytes.toString("latin1").replace(/Content-Length: [0-9]+/, `Content-Length: ${length}`),
      "latin1",
    );
  },
];

/** Line ends are a frequent place of parsing faults. */
function inserted(bytes: Buffer, random: Random, insert: Buffer): Buffer {
  const somewhere = random.below(bytes.length + 1);
  const end = random.below(2) === 0 ? bytes.indexOf("\r\n", somewhere) : -1;
  const at = end < 0 ? somewhere : end + 2;
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at)]);
}

/** Bytes without meaning. */
export function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** A signed request whose bytes on the wire were changed. */
export function byteMutant(making: Making): RestCase {
  const { random } = making;
  let bytes = bytesOf(withAddress(signed(written(validDraft(making))), random));
  for (let count = 1 + random.below(2); count > 0; count--)
    bytes = random.pick(BYTE_MUTATIONS)(bytes, random);
  return { transport: "rest", kind: "bytes mutated", bytes, alone: true };
}

const TOKENS = [
  "GET ",
  "POST ",
  "/api/order",
  " HTTP/1.1",
  "\r\n",
  "\r\n\r\n",
  "Host: a",
  ": ",
  "?",
  "a=1",
  "{",
  "é",
  "\0",
];

/** Bytes that are not a request, except by chance. */
export function randomBytes({ random }: Making): RestCase {
  const words = Array.from({ length: 1 + random.below(12) }, () =>
    random.below(3) === 0 ? noise(random, random.below(30)) : Buffer.from(random.pick(TOKENS), "latin1"),
  );
  const bytes = random.below(3) === 0 ? noise(random, 1 + random.below(500)) : Buffer.concat(words);
  return { transport: "rest", kind: "random bytes", bytes, alone: true };
}

/** A signed request that can be replayed when it was accepted. */
export function replayable(making: Making): Readonly<{ request: DraftRequest; as: RestCase }> {
  const request = signed(written(validDraft(making)));
  return { request, as: restCase("valid", request, making.random) };
}
