import { OrderError } from "../errors/index.ts";
import { bytesToText } from "./bytes.ts";
import { readFlatJson } from "./flat-json.ts";
import { readForm } from "./pairs.ts";
import type { Parameters } from "./scalar.ts";

const BRACE = 0x7b;
const CHARSET = '(?: *; *charset=(?:utf-8|"utf-8"))?';
const JSON_TYPE = new RegExp(`^application/json${CHARSET}$`, "i");
const FORM_TYPE = new RegExp(`^application/x-www-form-urlencoded${CHARSET}$`, "i");

/** Returns whether a body is JSON: its first byte is `{`, whatever its Content-Type says (decision 41). */
export function isJsonBody(body: Uint8Array): boolean {
  return body[0] === BRACE;
}

/**
 * Returns the parameters of a body. An empty body has none, whatever its Content-Type. A body that begins with `{` is
 * JSON and needs `application/json`; any other body is a form and needs `application/x-www-form-urlencoded`. The only
 * type parameter that either may have is `charset=utf-8`. A missing type matches neither.
 *
 * Throws OrderError -1135 when the type says JSON and the body does not begin with `{`, and -1130 naming Content-Type
 * for every other mismatch. Otherwise throws what the two readers throw (contract, Version 3 REST 3; decision 41;
 * hostile input 48).
 */
export function readBody(body: Uint8Array, contentType: string | undefined): Parameters {
  if (body.length === 0) return new Map();
  const type = contentType ?? "";
  if (isJsonBody(body)) {
    if (!JSON_TYPE.test(type)) throw wrongType("application/json");
    return readFlatJson(body);
  }
  if (JSON_TYPE.test(type)) throw new OrderError("INVALID_JSON");
  if (!FORM_TYPE.test(type)) throw wrongType("application/x-www-form-urlencoded");
  return readForm(bytesToText(body));
}

function wrongType(due: string): OrderError {
  return new OrderError("INVALID_PARAMETER", {
    field: "Content-Type",
    advice: `Send this body in UTF-8 with the Content-Type ${due}.`,
  });
}
