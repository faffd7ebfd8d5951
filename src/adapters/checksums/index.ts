export { checked, intactValue, withChecksum } from "./checked.ts";
export { checksumOf, requireIntact } from "./checksum.ts";
