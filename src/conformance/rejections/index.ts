export { testRejections } from "./rejections.ts";
export type { RejectionsHandle, RejectionsPlace, RejectionsSubject, RejectionsSupport } from "./world.ts";
