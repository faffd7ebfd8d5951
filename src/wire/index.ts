export {
  bytesToText,
  isJsonBody,
  isStrictQuery,
  percentDecode,
  percentEncode,
  type RequestTarget,
  readBody,
  readForm,
  readQuery,
  singleHeader,
  splitTarget,
} from "./http.ts";
export {
  decodeParent,
  decodeRecord,
  encodeParent,
  encodeRecord,
  readableJournal,
  requireStorable,
} from "./journal/codec.ts";
export { decodeParents, encodeParents } from "./journal/parents.ts";
export { JOURNAL_WORDS } from "./journal/record.ts";
export {
  type JsonObject,
  type JsonValue,
  mergeParameters,
  PARAMETER_LIMIT,
  type Parameters,
  readFlatJson,
  readFlatText,
  readJson,
  type Scalar,
} from "./json.ts";
export { type JsonInput, readReplyJson, writeJson } from "./json-text.ts";
export type { WireRequest, WireResponse } from "./socket-message.ts";
export {
  type RequestId,
  readSocketMessage,
  type SocketMessage,
} from "./socket-message.ts";
