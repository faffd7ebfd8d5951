import { executionVenueRules } from "../../src/conformance/execution-venue/execution-venue.ts";
import { mountRules } from "../../src/conformance/mount/mount.ts";
import { nativeOrdersRules } from "../../src/conformance/native-orders/native-orders.ts";
import { quoteSourceRules } from "../../src/conformance/quote-source/quote-source.ts";
import { rateLimiterRules } from "../../src/conformance/rate-limiter/rate-limiter.ts";
import { rejectionsRules } from "../../src/conformance/rejections.ts";
import { storageRules } from "../../src/conformance/storage/storage.ts";
import { volumeHistoryRules } from "../../src/conformance/volume-history.ts";
import { readPage } from "../examples/markdown.ts";

/** The rules of each suite, by the word in the markers of the page. */
export const suites: Readonly<Record<string, Groups>> = {
  storage: storageRules,
  rejections: rejectionsRules,
  "rate limiter": rateLimiterRules,
  "execution venue": executionVenueRules,
  "native orders": nativeOrdersRules,
  "quote source": quoteSourceRules,
  "volume history": volumeHistoryRules,
  mount: mountRules,
};

/** Rules by subject and name, as far as the page needs them. */
type Groups = Readonly<Record<string, Readonly<Record<string, Rule>>>>;
type Rule = Readonly<{ where?: Readonly<Record<string, boolean | undefined>> }>;

const partOf = ([part, declared]: readonly [string, boolean | undefined]): string =>
  `\`${part}: ${declared}\``;

function itemOf([name, { where }]: readonly [string, Rule]): string {
  const parts = Object.entries(where ?? {}).map(partOf);
  return `- ${name}${parts.length === 0 ? "" : ` (only with ${parts.join(" and ")})`}`;
}

const listOf = (groups: Groups): string =>
  Object.entries(groups)
    .map(([name, rules]) => `**${name}**\n\n${Object.entries(rules).map(itemOf).join("\n")}`)
    .join("\n\n");

/** Returns docs/conformance.md with the lists of rules as the suites have them now. */
export function rulesPage(): string {
  return readPage("docs/conformance.md").replace(
    /(<!-- rules: ([a-z ]+) -->\n)[\s\S]*?(<!-- end of rules -->)/g,
    (_, start: string, suite: string, end: string) => `${start}\n${listOf(suites[suite] ?? {})}\n\n${end}`,
  );
}
