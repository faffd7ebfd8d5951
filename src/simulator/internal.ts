/** Exports for other folders of the package; see index.ts for the entry point. */
export { FRACTION_SCALE, parseAmount, parsePosition } from "./paper-venue/index.ts";
