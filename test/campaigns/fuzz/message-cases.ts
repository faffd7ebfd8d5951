import type { Random } from "../../../src/common/random.ts";
import { METHODS, type MethodDescriptor, STREAM_KINDS, STREAM_METHODS } from "../../../src/requests/index.ts";
import { CALLERS, LENT, NOBODY, SILENT, TRADERS } from "./callers.ts";
import { type Field, field, hmac, jsonOf } from "./draft.ts";
import { fragments, frame, OPCODE, rawFrame } from "./frames.ts";
import { STRUCTURES } from "./hostile-values.ts";
import { payloadOfMessage } from "./judge.ts";
import { FIELD_MUTATIONS, withBytes } from "./mutations.ts";
import { type Kind, type Making, noise } from "./rest-cases.ts";
import { TERMS } from "./terms.ts";

/** One message for a WebSocket connection, valid or not. */
export type MessageCase = Readonly<{
  transport: "private" | "liquidity";
  kind: Kind;
  /** The frames as bytes. */
  bytes: Buffer;
  /** The text of valid frames. */
  text: string;
  /** It may leave its connection in any state, and is sent on a separate one, which is closed after it. */
  alone: boolean;
}>;

/** A request to open a WebSocket connection, valid or not. */
export type HandshakeCase = Readonly<{ transport: "handshake"; kind: Kind; bytes: Buffer }>;

const WEIGHTED: readonly MethodDescriptor[] = METHODS.flatMap((method) => {
  const times = method.name.startsWith("order.place") ? 6 : 2;
  return Array.from({ length: method.name === "openOrders.cancelAll" ? 1 : times }, () => method);
});

type Message = { id: string; method: string; fields: Field[]; proof: Field[]; secret: string };

const SESSION: Readonly<Record<string, readonly Field[]>> = {
  SUBSCRIBE: [field("requestToken", "token-of-1")],
  "userDataStream.unsubscribe": [field("subscriptionId", 0)],
};

function validMessage({ random, index, run, known, nowMs }: Making): Message {
  const method = random.pick(WEIGHTED);
  const caller = random.below(8) === 0 ? random.pick(CALLERS) : random.pick(TRADERS);
  const lent = caller.accountIds.includes(LENT) && random.below(4) === 0;
  const accountId = lent ? LENT : caller.accountId;
  const own =
    "route" in method
      ? TERMS[method.route.name as keyof typeof TERMS]({
          random,
          known,
          accountId,
          nowMs,
          id: `${run}-${index}`,
        })
      : (SESSION[method.name] ?? []).map((own) => ({ ...own }));
  const isSigned = method.access !== "PUBLIC";
  const proof = [
    field("apiKey", caller.apiKey),
    field("timestamp", nowMs - random.below(1_000)),
    field("recvWindow", 60_000),
  ];
  const borrowed = lent && "route" in method ? [field("account", LENT)] : [];
  return {
    id: random.pick([`"m-${index}"`, String(index), `"${index}"`]),
    method: random.pick([method.name, method.name, ...method.aliases, `v3/${method.name}`]),
    fields: [...own, ...borrowed],
    proof: isSigned ? proof : [],
    secret: isSigned ? caller.secret : "",
  };
}

/** The text of a message; its params are last. */
function textOf({ id, method, fields: own, proof, secret }: Message): string {
  const fields = [...own, ...proof];
  const envelope = (params: string): string =>
    `{"id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
  if (secret === "") return envelope(jsonOf(fields));
  const signature = hmac(secret, payloadOfMessage(envelope(jsonOf(fields))));
  return envelope(jsonOf([...fields, field("signature", signature)]));
}

const messageCase = (kind: Kind, text: string, random: Random): MessageCase => ({
  ...{ transport: "private", kind, text, alone: false },
  bytes: random.below(6) === 0 ? fragments(text, random) : frame(text, random),
});

/** A message that succeeds in the purpose of its method. */
export function validMessageCase(making: Making): MessageCase {
  return messageCase("valid", textOf(validMessage(making)), making.random);
}

/** A message whose params were changed before it was signed. */
export function signedMessageMutant(making: Making): MessageCase {
  const { random } = making;
  const message = validMessage(making);
  const isProof = random.below(4) === 0;
  const changed = isProof ? message.proof : message.fields;
  for (let count = 1 + random.below(2); count > 0; count--) random.pick(FIELD_MUTATIONS)(changed, random);
  return messageCase("mutated, then signed", textOf(message), random);
}

type TextChange = (text: string, random: Random) => string;

const TEXT_CHANGES: readonly TextChange[] = [
  (text, random) => withBytes(Buffer.from(text), random, () => 0x20 + random.below(0x5f)).toString("latin1"),
  (text, random) => text.replace(/("id":)[^,]*/, (_all, name: string) => name + random.pick(STRUCTURES)),
  (text, random) => text.replace(/("method":)[^,]*/, (_all, name: string) => name + random.pick(STRUCTURES)),
  (text, random) =>
    text.replace(/("params":).*}$/, (_all, name: string) => `${name}${random.pick(STRUCTURES)}}`),
  (text) => text.replace(/"id":[^,]*,/, ""),
  (text) => text.replace(/{/, '{"id":1,'),
  (text) => `[${text}]`,
  (text) => text + text,
  (text) => `\ufeff${text}`,
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => text.replace(/"method":"[^"]*"/, () => `"method":"${random.pick(METHODS).name}"`),
  (text) => text.replace(/"params":{/, '"params":{"__proto__":"x",'),
  (text) => text.replace(/"params":{/, '"params":{"limit":1e3,'),
  (text, random) =>
    text.replace(/"params":{/, () => `"params":{"a":${"[".repeat(random.pick([40, 30_000]))}`),
  (text, random) => text + " ".repeat(random.pick([1, 65_000, 70_000])),
  (text) => text.replace(/[0-9a-f]{64}/, (digits) => digits.split("").reverse().join("")),
  (text) => text.replace(/[0-9a-f]{64}/, ""),
  (text, random) =>
    text.replace(/fuzz-key-of-[a-z0-9-]+/, () => random.pick([...SILENT, ...CALLERS, NOBODY]).apiKey),
];

/** A message that was changed after it was signed. */
export function unsignedMessageMutant(making: Making): MessageCase {
  const { random } = making;
  const text = random.pick(TEXT_CHANGES)(textOf(validMessage(making)), random);
  return messageCase("signed, then mutated", text, random);
}

/** A signed message in invalid frames. */
export function frameMutant(making: Making): MessageCase {
  const { random } = making;
  const text = textOf(validMessage(making));
  const bytes = random.pick<() => Buffer>([
    () => withBytes(frame(text, random), random, () => random.below(256)),
    () => rawFrame({ opcode: random.below(16), payload: Buffer.from(text), masked: true }),
    () => rawFrame({ opcode: OPCODE.text, payload: Buffer.from(text), masked: false }),
    () =>
      rawFrame({
        opcode: OPCODE.text,
        payload: Buffer.from(text),
        masked: true,
        reserved: 1 + random.below(7),
      }),
    () =>
      rawFrame({
        opcode: OPCODE.text,
        payload: Buffer.from(text),
        masked: true,
        length: random.pick([0, 1, 125, 70_000, 2 ** 40]),
      }),
    () => rawFrame({ opcode: OPCODE.binary, payload: Buffer.from(text), masked: true }),
    () =>
      rawFrame({
        opcode: random.pick([OPCODE.ping, OPCODE.pong, OPCODE.close]),
        payload: noise(random, random.below(200)),
        masked: true,
      }),
    () => rawFrame({ opcode: OPCODE.text, payload: noise(random, 1 + random.below(300)), masked: true }),
    () => rawFrame({ opcode: OPCODE.more, payload: Buffer.from(text), masked: true }),
    () => fragments(text, random).subarray(0, -(1 + random.below(20))),
    () =>
      Buffer.concat(
        Array.from({ length: 3 }, () =>
          rawFrame({ opcode: OPCODE.text, payload: Buffer.from("x"), masked: true, last: false }),
        ),
      ),
    () => noise(random, 1 + random.below(300)),
  ])();
  return { transport: "private", kind: "frames mutated", text, alone: true, bytes };
}

const STREAM_TEXTS = ["btcusd", "BTC/USD", "ethusd", "btc-usd", "xxxusd", "", "__proto__", "é", "btcusd@"];

/** A control frame of the public stream, valid or not. */
export function streamCase({ random, index }: Making): MessageCase {
  const name = (): string =>
    `${random.pick(STREAM_TEXTS)}@${random.pick([...STREAM_KINDS, "depth5", "kline_1m", "constructor"])}`;
  const names = Array.from({ length: random.pick([0, 1, 2, 5, 1_100]) }, name);
  const params = random.below(5) === 0 ? random.pick(STRUCTURES) : JSON.stringify(names);
  const method = random.pick([...STREAM_METHODS, ...STREAM_METHODS, "SET_PROPERTY", "toString"]);
  const usual = `{"id":${index},"method":"${method}","params":${params}}`;
  const text = random.below(5) === 0 ? random.pick(TEXT_CHANGES)(usual, random) : usual;
  return { transport: "liquidity", kind: "public stream", text, alone: false, bytes: frame(text, random) };
}

const UPGRADE = [
  "Host: a",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const TARGETS = [
  "/ws/listenKey",
  "/ws/liquidity",
  "/ws-api/v3",
  "/ws",
  "/ws/listenKey/",
  "/WS/listenKey",
  "/ws/listenKey?returnRateLimits=false",
  "/ws/listenKey?x=1",
  "/ws/listenKey?%zz",
  "//ws/listenKey",
  "/api/order",
  "http://a/ws/listenKey",
];
const LINE_CHANGES = [
  "Sec-WebSocket-Version: 8",
  "Sec-WebSocket-Key: short",
  "Sec-WebSocket-Key: ",
  "Upgrade: h2c",
  "Connection: keep-alive",
  "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99",
  "Sec-WebSocket-Protocol: a, a, é",
  "Origin: https://evil.example",
  "Content-Length: 5",
  "Transfer-Encoding: chunked",
  "X: \u00ff",
];

/** An upgrade request with one fault. */
export function handshakeMutant({ random }: Making): HandshakeCase {
  const lines = [...UPGRADE, `X-Forwarded-For: 10.9.${random.below(250)}.${random.below(250)}`];
  for (let count = random.below(3); count > 0; count--) {
    const at = random.below(lines.length);
    if (random.below(3) === 0) lines.splice(at, 1);
    else lines.splice(at, random.below(2), random.pick(LINE_CHANGES));
  }
  const method = random.pick(["GET", "GET", "GET", "GET", "POST", "HEAD"]);
  const head = Buffer.from(
    `${method} ${random.pick(TARGETS)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`,
    "latin1",
  );
  const bytes = random.below(4) === 0 ? withBytes(head, random, () => random.below(256)) : head;
  return { transport: "handshake", kind: "handshake mutated", bytes };
}
