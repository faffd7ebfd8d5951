import { type OptionCheck, textOption } from "../common/index.ts";
import { NOTIONAL_SCALE } from "./exact.ts";
import { parseScaled } from "./scaled.ts";

/** Checks an amount of USD. Like all decimals it is a text: the number 0.1 is not exactly 0.1. */
export const amountOption: OptionCheck = /* @__PURE__ */ textOption(
  `a decimal string with at most ${NOTIONAL_SCALE} decimals, such as "15"`,
  (text) => parseScaled(text, NOTIONAL_SCALE) !== undefined,
);
