import type { NativeFill } from "../../model/index.ts";
import type { Liquidity } from "./execution-terms.ts";

/** An execution of the paper venue. Without a liquidity it was on arrival. */
export interface VenueFill extends NativeFill {
  readonly liquidity?: Liquidity;
}
