export { isJsonBody, readBody } from "./body.ts";
export { bytesToText } from "./bytes.ts";
export { readFlatJson, readFlatText } from "./flat-json.ts";
export { singleHeader } from "./headers.ts";
export {
  decodeParent,
  decodeRecord,
  encodeParent,
  encodeRecord,
  readableJournal,
  requireStorable,
} from "./journal/codec.ts";
export { type JsonInput, writeJson } from "./json-text.ts";
export { type JsonObject, type JsonValue, readJson } from "./json-value.ts";
export { readForm, readQuery } from "./pairs.ts";
export { percentDecode, percentEncode } from "./percent.ts";
export { readReplyJson } from "./reply-json.ts";
export {
  mergeParameters,
  PARAMETER_LIMIT,
  type Parameters,
  type Scalar,
} from "./scalar.ts";
export {
  type RequestId,
  readSocketMessage,
  type SocketMessage,
} from "./socket-message.ts";
export { isStrictQuery, type RequestTarget, splitTarget } from "./target.ts";
export type { WireRequest, WireResponse } from "./wire-message.ts";
