export { restoreContents } from "./restore-contents.ts";
export { endsOf, lastPosition } from "./restore-position.ts";
