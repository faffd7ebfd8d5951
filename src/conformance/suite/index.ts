export { holds, Mismatch, refused, same } from "./checks.ts";
export { ConformanceError } from "./conformance-error.ts";
export { controlsOf } from "./controls.ts";
export { shown } from "./difference.ts";
export { answerOf, type Outcome, outcomeOf } from "./outcome.ts";
export { questionsOf, readable } from "./readable.ts";
export {
  type AtEnd,
  declareSuite,
  type Rule,
  type RuleGroup,
  type Suite,
} from "./suite.ts";
export type { TestFramework } from "./test-framework.ts";
