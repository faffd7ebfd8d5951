export { checksumOf, requireIntact } from "./checksum.ts";
