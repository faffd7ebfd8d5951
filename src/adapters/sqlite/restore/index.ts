export { restoreContents } from "./restore-contents.ts";
export { lastPosition, requireEnd } from "./restore-position.ts";
