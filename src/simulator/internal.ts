/** Exports for other folders of the package; see index.ts for the entry point. */
export { parseAmount, parseFraction, parsePosition } from "./paper-venue/index.ts";
