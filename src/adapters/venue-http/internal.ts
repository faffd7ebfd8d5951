/** Exports of the venue over HTTP to other folders of this package. They are not part of the package's interface. */
export { addressOf } from "./link.ts";
