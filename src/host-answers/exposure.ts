import type { Quantity } from "../decimal/index.ts";
import type { Exposure, PositionAsOf, PositionChange } from "../ports/index.ts";
import { harmless } from "./guards.ts";
import type { Questions } from "./questions.ts";
import { membersOf, printableOf, requireThat, scaledOf, wholeOf } from "./reading.ts";

/** Positions must be below this in both directions. */
const POSITION_LIMIT = 10n ** 30n;

/** Wraps the positions of a host with checks of every answer. A report that cannot be read is told and dropped. */
export function checkedExposure(exposure: Exposure, questions: Questions): Exposure {
  const { lagMs } = exposure;
  return {
    ...(lagMs !== undefined && { lagMs }),
    position: (accountId, symbol) =>
      questions.query("exposure.position", () => exposure.position(accountId, symbol), readAnswer),
    ...(exposure.onChange !== undefined && {
      onChange: (listener) =>
        exposure.onChange?.((change: unknown) =>
          harmless(
            () => listener(readChange(change)),
            (error) => questions.report("exposure.onChange", error),
          ),
        ) ?? (() => undefined),
    }),
  };
}

/** Returns the quantity of an answer. */
export const quantityOf = (answer: Quantity | PositionAsOf): Quantity =>
  typeof answer === "object" ? answer.quantity : answer;

function readAnswer(answer: unknown): Quantity | PositionAsOf {
  if (typeof answer !== "object" || answer === null) return readPosition(answer);
  const { quantity, asOf } = membersOf(answer, "the position");
  return { quantity: readPosition(quantity), asOf: readAsOf(asOf) };
}

const readAsOf = (answer: unknown): string | number =>
  typeof answer === "number" ? wholeOf(answer, "asOf") : printableOf(answer, "asOf", 256);

function readChange(answer: unknown): PositionChange {
  const { accountId, symbol, quantity } = membersOf(answer, "the change");
  return {
    accountId: wholeOf(accountId, "accountId", { from: 1 }),
    symbol: printableOf(symbol, "symbol", 256),
    quantity: readPosition(quantity),
  };
}

function readPosition(answer: unknown): Quantity {
  const position = scaledOf(answer, "the position");
  requireThat(position > -POSITION_LIMIT && position < POSITION_LIMIT, "the position is out of range");
  return position as Quantity;
}
