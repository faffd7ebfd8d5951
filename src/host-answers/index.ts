export { childIdOf, fillOf, readReport, reportIn, type SaidOfChild } from "./child-report.ts";
export { problemOf, UnreadableAnswer } from "./reading.ts";
