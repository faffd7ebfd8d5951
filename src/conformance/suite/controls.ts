import { functionOption, type OptionCheck, optionalOption } from "../../common/index.ts";

/** Checks of the functions with which a suite controls a place. */
export type ControlChecks = Readonly<{
  /** Demands the function. */
  always: OptionCheck;
  /** Demands the function if the part that it belongs to is declared. */
  where: (isDeclared: boolean) => OptionCheck;
}>;

/** Returns the checks of a place's functions. `type` names the interface that describes them. */
export function controlsOf(type: string): ControlChecks {
  const always = functionOption(`is described at ${type}`);
  return { always, where: (isDeclared) => (isDeclared ? always : optionalOption(always)) };
}
