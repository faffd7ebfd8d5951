export { childIdOf, readReport, reportIn, type SaidOfChild } from "./child-report.ts";
export { readNotFound } from "./not-found.ts";
export { problemOf, UnreadableAnswer } from "./reading.ts";
export { type ReadSettlement, readSettlement } from "./settlement.ts";
