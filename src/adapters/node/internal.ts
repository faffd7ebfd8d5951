/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { MOST_THREADS } from "./front/fronts.ts";
export { listen } from "./listen.ts";
