export { checked, intactValue, withChecksum } from "./checked.ts";
