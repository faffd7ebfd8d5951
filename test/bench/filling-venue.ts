import { type Price, price } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { ChildReport, ExecutionVenue } from "../../src/ports/index.ts";

/** A venue that fills every child completely when it arrives, and does nothing else. */
export type FillingVenue = ExecutionVenue & {
  /** The number of children received. */
  filled: number;
  /** Called for every child when it arrives. */
  onSubmit: ((child: ChildRequest) => void) | undefined;
};

const MARKET: Price = price("9000");

export function createFillingVenue(): FillingVenue {
  const venue: FillingVenue = {
    capabilities: { honoursDeadline: true, canVoid: false },
    filled: 0,
    onSubmit: undefined,
    submit(child): Promise<ChildReport> {
      venue.onSubmit?.(child);
      const fill = {
        executionId: `x${++venue.filled}`,
        quantity: child.quantity,
        price: child.limitPrice ?? MARKET,
        timeMs: 0,
      };
      return Promise.resolve({ childId: child.childId, state: "closed", fills: [fill] });
    },
    lookup: () => Promise.resolve("not-found"),
    subscribe: () => () => undefined,
  };
  return venue;
}
