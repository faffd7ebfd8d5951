import type { RuleEvent } from "./rule-event.ts";
import type { Violation } from "./rules.ts";
import type { World } from "./world.ts";

/** One event of a world. Prices are places of the market; legs are places in the form. */
export type Happening =
  /** A counted quote; `fired` are the legs whose condition it meets, in the order in which they meet it. */
  | Readonly<{ kind: "QUOTE"; price: number; fresh: boolean; exposure?: number; fired: readonly number[] }>
  /** An event on which the rules decide. */
  | Readonly<{ kind: "EVENT"; event: RuleEvent }>
  /** The oldest record becomes durable. */
  | Readonly<{ kind: "DURABLE" }>
  | Readonly<{ kind: "HANDED_OVER"; leg: number; attempt: number }>
  /** At the venue, invisible to the engine. */
  | Readonly<{ kind: "VENUE"; leg: number; attempt: number; what: string }>
  /** The clock reaches the next expiry. */
  | Readonly<{ kind: "CLOCK" }>
  /** The process dies, or its store fails; `stored` of the records in flight are nevertheless in the store. */
  | Readonly<{ kind: "CRASH" | "STORE_FAILS"; stored: number; of: number }>;

/** Receives each possible next event with the world after it, or with the rule that it breaks. */
export type Emit = (happening: Happening, next: World | undefined, violation?: Violation) => void;
