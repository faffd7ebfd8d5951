import type { Parameters, Scalar } from "../../../wire/index.ts";

/*
 * Headers, parameters and bytes as one text each, and back. The separator stands in none of them: Node refuses a header
 * with a control character, the service's readers a name or value.
 */
const SEPARATOR = "\n";

/** Names and values of headers, alternating. */
export const joinHead = (rawHeaders: readonly string[]): string => rawHeaders.join(SEPARATOR);

/** {@link joinHead} back. */
export const splitHead = (head: string): readonly string[] => (head === "" ? [] : head.split(SEPARATOR));

/** Headers of a reply. */
export const joinHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}${SEPARATOR}${value}`)
    .join(SEPARATOR);

/** {@link joinHeaders} back. */
export function splitHeaders(head: string): Record<string, string> {
  const parts = splitHead(head);
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2)
    headers[parts[index] ?? ""] = parts[index + 1] ?? "";
  return headers;
}

const KINDS: readonly Scalar["kind"][] = ["text", "string", "integer", "boolean"];

/** Parameters with their kinds: names, and values that begin with the number of their kind. */
export function joinParameters(parameters: Parameters): string {
  let joined = "";
  for (const [name, { kind, text }] of parameters) {
    joined += `${joined === "" ? "" : SEPARATOR}${name}${SEPARATOR}${KINDS.indexOf(kind)}${text}`;
  }
  return joined;
}

/** {@link joinParameters} back. */
export function splitParameters(joined: string): Parameters {
  const parts = splitHead(joined);
  const parameters = new Map<string, Scalar>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const value = parts[index + 1] ?? "";
    const kind = KINDS[value.charCodeAt(0) - 48] ?? "text";
    parameters.set(parts[index] ?? "", { text: value.slice(1), kind });
  }
  return parameters;
}

/** Bytes as text of one character each, which is cloned faster than bytes are. */
export const textOfBytes = (bytes: Uint8Array): string =>
  bytes.length === 0 ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
