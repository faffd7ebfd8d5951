import type { Price } from "../../src/decimal/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";

/** An intent whose limit offset no rule can use while `isBroken` is set; no journal would accept it in that state. */
export function breakingIntent(
  intent: ParentIntent,
): Readonly<{ intent: ParentIntent; state: { isBroken: boolean } }> {
  const state = { isBroken: false };
  const { limitOffset, ...rest } = intent;
  const breaking = {
    ...rest,
    get limitOffset(): Price | undefined {
      return state.isBroken ? (0.5 as never) : limitOffset;
    },
  };
  return { intent: breaking as ParentIntent, state };
}
