/** One complete HTTP answer in the received bytes, and the start of the next; undefined if it is incomplete. */
export type HttpAnswer = Readonly<{ status: number; body: string; end: number }>;

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: *([0-9]+)/i;

/** Reads the answer at the start of `bytes`. Throws if it does not state its length. */
export function readHttpAnswer(bytes: Buffer): HttpAnswer | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const length = LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${head}`);
  const start = headEnd + HEAD_END.length;
  const end = start + Number(length);
  if (bytes.length < end) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.toString("utf8", start, end), end };
}

/** The bytes of a POST with a JSON body. */
export function httpPost(
  target: string,
  { headers, body }: Readonly<{ headers: Readonly<Record<string, string>>; body: string }>,
): Buffer {
  const lines = Object.entries({
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    ...headers,
    "Content-Length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
