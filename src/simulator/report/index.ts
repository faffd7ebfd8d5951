export type { ReportOptions } from "./options.ts";
export { reportOf } from "./report.ts";
