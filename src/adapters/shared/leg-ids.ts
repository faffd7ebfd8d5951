import { invariant } from "../../errors/index.ts";

/** Returns the text in which a store keeps the ids of the legs of an ended list. */
export const legsText = (legs: readonly number[]): string => legs.join(",");

/** Reads the ids of the legs of an ended list. Throws an InvariantError I53 for a text that is not as it was written. */
export function legsIn(text: string, listId: number): readonly number[] {
  const texts = text.split(",");
  const legs = texts.map((leg) => Number.parseInt(leg, 10));
  const whole = legs.every((leg, index) => Number.isSafeInteger(leg) && String(leg) === texts[index]);
  invariant(whole, "I53", `the legs of list ${listId} cannot be read`);
  return legs;
}
