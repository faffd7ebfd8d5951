/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { assignmentsIn } from "./cluster/cluster-views.ts";
export { isEvened } from "./cluster/share-plan.ts";
export { QuoteGate } from "./market/quote-gate.ts";
