import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { formatPrice, formatQuantity, min, price, quantity } from "../../src/decimal/index.ts";
import type { ChildReport, ChildRequest, Fact } from "../../src/model/index.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";

/** A quote as a story gives it: the prices, and what each side offers. */
export type Shown = Readonly<{ bid: string; ask: string; size: string }>;

/** The report of a venue that executes a child as far as the newest quote allows. */
export function executedAt(
  { bid, ask, size }: Shown,
  { childId, side, quantity: requested, limitPrice }: ChildRequest,
): ChildReport {
  const at = side === "BUY" ? ask : bid;
  const beyond =
    limitPrice !== undefined && (side === "BUY" ? price(at) > limitPrice : price(at) < limitPrice);
  if (beyond) return reported(childId, "closed");
  return reported(childId, "closed", [fillOf({ quantity: min(quantity(size), requested), price: at })]);
}

/** A fact in the words of a page; undefined for the close of a child of which its fills tell. */
export function wordsOf(fact: Fact): string | undefined {
  switch (fact.kind) {
    case "ACCEPTED":
      return fact.held ? "accepted, held" : "accepted";
    case "TRIGGERED":
      return `triggers at ${formatPrice(fact.trigger.observed)}`;
    case "ACTIVATED":
      return "begins to trail";
    case "CHILD_INTENDED": {
      const { quantity: size, limitPrice } = fact.child;
      return `sends ${formatQuantity(size)}${limitPrice === undefined ? "" : ` limit ${formatPrice(limitPrice)}`}`;
    }
    case "FILLED":
      return `fills ${formatQuantity(fact.fill.quantity)} at ${formatPrice(fact.fill.price)}`;
    case "CHILD_CLOSED":
      if (fact.outcome === "DONE") return undefined;
      return `${fact.outcome.toLowerCase()}${fact.detail === undefined ? "" : `: ${fact.detail}`}`;
    case "ENDED":
      return `ends ${fact.status}${fact.reason === fact.status ? "" : ` (${fact.reason})`}`;
    case "ALERT":
      return `alert ${fact.alert}\n(${fact.detail})`;
    default:
      return fact.kind.toLowerCase();
  }
}

/** The facts of one change in the words of a page. */
export const sentenceOf = (facts: readonly Fact[]): string =>
  facts
    .map(wordsOf)
    .filter((words) => words !== undefined)
    .join(", ");

/** Compares the stories of a page with what really happens, or rewrites them. */
export async function expectStories(
  path: string,
  stories: Readonly<Record<string, () => Promise<readonly string[]>>>,
): Promise<void> {
  let page = readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
  for (const [name, run] of Object.entries(stories)) {
    const mark = `<!-- story: ${name} -->\n\n\`\`\`text\n`;
    const [before, rest] = page.split(mark);
    const end = rest?.indexOf("```") ?? -1;
    if (rest === undefined || end < 0) throw new Error(`the page has no story "${name}"`);
    page = `${before}${mark}${(await run()).join("\n")}\n${rest.slice(end)}`;
  }
  await expect(page).toMatchFileSnapshot(path);
}
