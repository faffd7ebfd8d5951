import type { Quantity } from "../decimal/index.ts";
import type { Exposure, PositionAsOf, PositionChange } from "../ports/index.ts";
import { harmless } from "./guards.ts";
import type { Questions } from "./questions.ts";
import { demand, membersOf, printableOf, scaledOf, wholeOf } from "./reading.ts";

/** Positions must be below this in both directions. */
const POSITION_LIMIT = 10n ** 30n;

/** Wraps the positions of a host with checks of every answer. A report that cannot be read is told and dropped. */
export function checkedExposure(exposure: Exposure, questions: Questions): Exposure {
  const { lagMs } = exposure;
  return {
    ...(lagMs !== undefined && { lagMs }),
    position: (accountId, symbol) =>
      questions.ask("exposure.position", () => exposure.position(accountId, symbol), readAnswer),
    ...(exposure.onChange !== undefined && {
      onChange: (listener) =>
        exposure.onChange?.((change: unknown) =>
          harmless(
            () => listener(readChange(change)),
            (error) => questions.tell("exposure.onChange", error),
          ),
        ) ?? (() => undefined),
    }),
  };
}

/** Returns the quantity of an answer. */
export const quantityOf = (answer: Quantity | PositionAsOf): Quantity =>
  typeof answer === "object" ? answer.quantity : answer;

function readAnswer(said: unknown): Quantity | PositionAsOf {
  if (typeof said !== "object" || said === null) return readPosition(said);
  const { quantity, asOf } = membersOf(said, "the position");
  return { quantity: readPosition(quantity), asOf: readAsOf(asOf) };
}

const readAsOf = (said: unknown): string | number =>
  typeof said === "number" ? wholeOf(said, "asOf") : printableOf(said, "asOf", 256);

function readChange(said: unknown): PositionChange {
  const { accountId, symbol, quantity } = membersOf(said, "the change");
  return {
    accountId: wholeOf(accountId, "accountId", { from: 1 }),
    symbol: printableOf(symbol, "symbol", 256),
    quantity: readPosition(quantity),
  };
}

function readPosition(said: unknown): Quantity {
  const position = scaledOf(said, "the position");
  demand(position > -POSITION_LIMIT && position < POSITION_LIMIT, "the position is out of range");
  return position as Quantity;
}
