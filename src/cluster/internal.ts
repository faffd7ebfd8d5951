/** Exports of the folder to other folders of this package. They are not part of the package's interface. */
export { assignmentsIn } from "./cluster-views.ts";
export { isEvened } from "./share-plan.ts";
