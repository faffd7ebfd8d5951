export {
  openConnection,
  type RawAnswer,
  type RawConnection,
  type RawRequest,
  rawBytes,
  sendRaw,
} from "../../src/conformance/internal.ts";
