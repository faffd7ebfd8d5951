import type { Parameters, Scalar } from "../../../wire/index.ts";

/*
 * Encodes headers, parameters and bytes as one text each, and decodes them. The separator cannot occur in them: Node
 * refuses headers with a control character, and the service's readers refuse such names and values.
 */
const SEPARATOR = "\n";

/** Joins names and values of headers, which alternate. */
export const joinHead = (rawHeaders: readonly string[]): string => rawHeaders.join(SEPARATOR);

/** Reverses {@link joinHead}. */
export const splitHead = (head: string): readonly string[] => (head === "" ? [] : head.split(SEPARATOR));

/** Joins the headers of a reply. */
export const joinHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}${SEPARATOR}${value}`)
    .join(SEPARATOR);

/** Reverses {@link joinHeaders}. */
export function splitHeaders(head: string): Record<string, string> {
  const parts = splitHead(head);
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2)
    headers[parts[index] ?? ""] = parts[index + 1] ?? "";
  return headers;
}

const KINDS: readonly Scalar["kind"][] = ["text", "string", "integer", "boolean"];

/** Joins parameters with their kinds. Each value starts with the number of its kind. */
export function joinParameters(parameters: Parameters): string {
  let joined = "";
  for (const [name, { kind, text }] of parameters) {
    joined += `${joined === "" ? "" : SEPARATOR}${name}${SEPARATOR}${KINDS.indexOf(kind)}${text}`;
  }
  return joined;
}

/** Reverses {@link joinParameters}. */
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

/** Returns bytes as a text with one character per byte, which is cloned faster than bytes. */
export const textOfBytes = (bytes: Uint8Array): string =>
  bytes.length === 0 ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
