import type { Quantity } from "../decimal/index.ts";
import type { Exposure } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { demand, scaledOf } from "./reading.ts";

/** No position reaches this, in either direction. */
const POSITION_LIMIT = 10n ** 30n;

/** The positions of a host, every answer checked. */
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
