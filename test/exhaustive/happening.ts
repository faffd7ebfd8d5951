import type { RuleEvent } from "./rule-event.ts";
import type { Violation } from "./rules.ts";
import type { World } from "./world.ts";

/** One thing that happens to a world. Prices are places of the market; legs are places in the form. */
export type Happening =
  /** A counted quote; `fired` are the legs whose condition it meets, in the order in which they meet it. */
  | Readonly<{ kind: "QUOTE"; price: number; fresh: boolean; exposure?: number; fired: readonly number[] }>
  /** Something that the rules decide upon. */
  | Readonly<{ kind: "EVENT"; event: RuleEvent }>
  /** The oldest record becomes durable. */
  | Readonly<{ kind: "DURABLE" }>
  | Readonly<{ kind: "HANDED_OVER"; leg: number; attempt: number }>
  /** At the venue, unseen. */
  | Readonly<{ kind: "VENUE"; leg: number; attempt: number; what: string }>
  /** The next expiry is reached. */
  | Readonly<{ kind: "CLOCK" }>
  /** The process dies, or its store fails; `kept` of the records on their way are in the store all the same. */
  | Readonly<{ kind: "CRASH" | "STORE_FAILS"; kept: number; of: number }>;

/** Takes what can happen next: the world after it, or the rule that it breaks. */
export type Emit = (happening: Happening, next: World | undefined, violation?: Violation) => void;
