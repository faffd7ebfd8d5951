import { findMethod, METHODS, type MethodDescriptor } from "../../src/requests/index.ts";
import { sign } from "../../src/signing/index.ts";
import { socketPayload } from "../../src/signing/signed-request.ts";
import { type JsonObject, percentDecode, readFlatText } from "../../src/wire/index.ts";
import { type Credentials, KEYS, START_MS } from "./service-world.ts";
import { SocketClient } from "./socket-client.ts";

/** A request of the private WebSocket before it becomes a message; nothing in it is checked. */
export type SocketAttack = Readonly<{
  method: string;
  /** The business fields as JSON text of an object, sent exactly as written. */
  json?: string;
  key?: Credentials;
  /** JSON texts of members that every request has; undefined leaves one out. */
  timestamp?: string | undefined;
  apiKey?: string | undefined;
  /** Replaces the right signature; undefined leaves it out. */
  signature?: string | undefined;
  /** Signed in place of the sent params. */
  payload?: string;
}>;

let messages = 0;

/** A time within the usual recvWindow that no recent message had, so that no two signatures are equal. */
function nextTimestamp(): number {
  return START_MS - (messages++ % 4_900);
}

/** The text that a signature over the sent params covers; empty if they cannot be read. */
export function payloadOf(params: string): string {
  try {
    return socketPayload(readFlatText(params));
  } catch {
    return "";
  }
}

/** The params of a request, signed as the attack says. */
export function paramsOf(attack: SocketAttack): string {
  const { key = KEYS.owner, json = "{}" } = attack;
  const member = (name: string, usual: string): string => {
    const text = name in attack ? attack[name as "timestamp"] : usual;
    return text === undefined ? "" : `"${name}":${text},`;
  };
  const known = member("apiKey", JSON.stringify(key.apiKey)) + member("timestamp", String(nextTimestamp()));
  const own = json.slice(1);
  const joined = own === "}" ? `{${known.slice(0, -1)}}` : `{${known}${own}`;
  const payload = attack.payload ?? payloadOf(joined);
  const right = JSON.stringify(sign({ secret: key.secret, payload }));
  const signature = "signature" in attack ? attack.signature : right;
  return signature === undefined ? joined : `{"signature":${signature},${joined.slice(1)}`;
}

/** The text of a message. */
export function messageOf(attack: SocketAttack, id = '"hostile"'): string {
  return `{"id":${id},"method":${JSON.stringify(attack.method)},"params":${paramsOf(attack)}}`;
}

/** The method equivalent to a route; undefined if there is none, as for the POST forms of reading. */
export function methodOf(method: string, path: string): MethodDescriptor | undefined {
  const alike = METHODS.find(
    (found) => "route" in found && found.route.method === method && found.route.path === path,
  );
  if (alike !== undefined || method === "POST") return alike;
  return path === "/api/v2/order"
    ? findMethod(method === "GET" ? "order.status" : "order.cancel")
    : undefined;
}

const LITERAL = /^(true|false|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)$/;

/** The parameters of a raw query as JSON text: numbers and booleans lose their quotes. */
export function jsonOfQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => !/^(nonce|timestamp)=/.test(pair) && pair !== "");
  const members = pairs.map((pair) => {
    const [name = "", raw = ""] = pair.split("=");
    const text = percentDecode(raw) ?? raw;
    return `${JSON.stringify(name)}:${LITERAL.test(text) ? text : JSON.stringify(text)}`;
  });
  return `{${members.join(",")}}`;
}

/** A reply, parsed and as it arrived. */
export type SocketReply = Readonly<{ message: JsonObject; text: string }>;

/** Sends one text on a separate connection and resolves to the first reply. */
export async function sendText(port: number, text: string): Promise<SocketReply> {
  const client = await SocketClient.connect(`ws://127.0.0.1:${port}/ws/listenKey`);
  try {
    client.socket.send(text);
    await client.until(() => client.messages.length > 0);
    return { message: client.messages[0] ?? {}, text: client.texts[0] ?? "" };
  } finally {
    client.close();
  }
}
