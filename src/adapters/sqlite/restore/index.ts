export { restoreContents } from "./restore-contents.ts";
export { lastPosition } from "./restore-position.ts";
