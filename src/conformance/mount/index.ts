export { mountRules, testMount } from "./mount.ts";
export type { MountSubject, MountSupport, OpenMount } from "./place.ts";
export {
  openConnection,
  type RawAnswer,
  type RawConnection,
  type RawRequest,
  rawBytes,
  sendRaw,
} from "./raw-http.ts";
