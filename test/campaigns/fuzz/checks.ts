import { ERRORS } from "../../../src/errors/index.ts";
import { SECRET_MARK } from "./callers.ts";
import type { HttpReply } from "./http-lane.ts";

/**
 * Status and code of every row of the error table, and of the server's own answers before the service receives a
 * request.
 */
const DOCUMENTED: ReadonlySet<string> = new Set([
  ...Object.values(ERRORS).map(({ status, code }) => `${status} ${code}`),
  "417 -1130",
  "431 -1108",
]);

/** Failures that are not allowed under attack: they need a store that fails, a full queue or a shutdown. */
const UNAVAILABLE: ReadonlySet<number> = new Set([503]);

const REPORTED = /[0-9a-fA-F]{64}|\bat .*:[0-9]+:[0-9]+|node_modules|\.ts:[0-9]|Error: /;

/** Finds secrets and internals in a text. */
export function leaksOf(text: string): readonly string[] {
  if (text.includes(SECRET_MARK)) return ["a secret is told"];
  const reported = REPORTED.exec(text)?.[0];
  return reported === undefined ? [] : [`a signature or a stack is told: ${reported.slice(0, 80)}`];
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type Body = Readonly<Record<string, unknown>>;

/** Members that an error may have beside those of every error. */
const BESIDES: ReadonlySet<string> = new Set(["retryAfter", "field", "data"]);

/** Checks the status, the code and the members of an error. */
function errorProblems(status: number, error: unknown): readonly string[] {
  if (typeof error !== "object" || error === null) return [`an error of status ${status} without a body`];
  const { code, msg } = error as Body;
  const names = Object.keys(error).filter((name) => !BESIDES.has(name));
  return [
    ...(DOCUMENTED.has(`${status} ${code}`) ? [] : [`${status} ${code} is not in the error table`]),
    ...(names.join() === "code,msg,error" ? [] : [`an error with the members ${names.join()}`]),
    ...(typeof msg === "string" && msg !== "" ? [] : ["an error without words"]),
    ...(status >= 500 && !UNAVAILABLE.has(status) ? [`an answer of status ${status}`] : []),
  ];
}

/** Checks an answer over HTTP, whatever was asked. Source: contract, Errors. */
export function replyProblems({ status, headers, body }: HttpReply, bodiless: boolean): readonly string[] {
  const leaks = leaksOf(`${[...headers.values()].join("\n")}\n${body}`);
  if (status === 101) return leaks;
  if (status === 204) return body === "" ? leaks : [...leaks, "a 204 with a body"];
  const type = headers.get("content-type");
  const typed = type === "application/json; charset=utf-8" ? [] : [`Content-Type ${type}`];
  if (bodiless) return [...leaks, ...typed];
  const value = parsed(body);
  if (status !== 200) {
    const reported = (value as Body | undefined)?.["retryAfter"];
    const answer = headers.get("retry-after");
    const retry = reported === answer ? [] : [`Retry-After ${answer} and retryAfter ${String(reported)}`];
    return [...leaks, ...typed, ...retry, ...errorProblems(status, value)];
  }
  const failed = (value as Body | undefined)?.["code"] !== undefined;
  return [...leaks, ...typed, ...(value === undefined || failed ? ["an invalid success"] : [])];
}

/** Checks a reply of the private WebSocket. `id` is the expected id as JSON text, if it is known. */
export function messageProblems(text: string, id: string | undefined): readonly string[] {
  const value = parsed(text) as Body | undefined;
  if (value === undefined) return ["a reply that is not JSON"];
  const { status, error, result } = value;
  const answered =
    id === undefined || text.startsWith(`{"id":${id},`)
      ? []
      : [`a reply to another id than ${id}: ${text.slice(0, 300)}`];
  const known = [...leaksOf(text), ...answered];
  if (status === 200)
    return result === undefined || error !== undefined ? [...known, "an invalid success"] : known;
  if (typeof status !== "number") return [...known, "a reply without a status"];
  return [...known, ...errorProblems(status, error)];
}

/** Checks a reply of the public WebSocket. Source: convention 4.12. */
export function streamProblems(text: string): readonly string[] {
  const value = parsed(text) as Body | undefined;
  if (value === undefined) return ["a reply that is not JSON"];
  const { code, msg, result } = value;
  const right =
    code === undefined
      ? result === null || Array.isArray(result)
      : [1, 2, 3, -1003].includes(code as number) && typeof msg === "string";
  return [...leaksOf(text), ...(right ? [] : [`a control reply of another shape: ${text.slice(0, 200)}`])];
}

/** Close codes that a WebSocket connection may end with; 1006: the peer itself broke it. */
const CLOSE_CODES: ReadonlySet<number> = new Set([1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009]);

/** Checks the end of a connection. */
export function closeProblems(code: number): readonly string[] {
  return CLOSE_CODES.has(code) ? [] : [`a connection ended with ${code}`];
}
