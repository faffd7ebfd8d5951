export { rejectionsRules, testRejections } from "./rejections.ts";
export { rejectionOf } from "./samples.ts";
export type { RejectionsHandle, RejectionsPlace, RejectionsSubject, RejectionsSupport } from "./world.ts";
