import type { Quantity } from "../decimal/index.ts";
import type { Exposure } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { demand, scaledOf } from "./reading.ts";

/** Positions must be below this in both directions. */
const POSITION_LIMIT = 10n ** 30n;

/** Wraps the positions of a host with checks of every answer. */
export function checkedExposure(exposure: Exposure, questions: Questions): Exposure {
  return {
    position: (accountId, symbol) =>
      questions.ask("exposure.position", () => exposure.position(accountId, symbol), readPosition),
  };
}

function readPosition(said: unknown): Quantity {
  const position = scaledOf(said, "the position");
  demand(position > -POSITION_LIMIT && position < POSITION_LIMIT, "the position is out of range");
  return position as Quantity;
}
