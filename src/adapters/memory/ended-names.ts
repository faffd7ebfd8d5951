import type { EndedName, EndedNamePage } from "../../ports/index.ts";

/** Source of pages of names: the accounts, and the current client ids of each. */
export type NamesByAccount = Readonly<{
  accounts: () => Iterable<number>;
  clientIds: (accountId: number) => Iterable<string>;
}>;

/** Number of client ids that one step scans, which takes about a millisecond. */
const IDS_PER_STEP = 8_192;

/** Returns a page of names, sorted by account, then client id. */
export function* pageOfNames(
  { accounts, clientIds }: NamesByAccount,
  { after, limit }: EndedNamePage,
): Generator<void, readonly EndedName[]> {
  const names: EndedName[] = [];
  const first = after?.accountId ?? Number.NEGATIVE_INFINITY;
  for (const accountId of Float64Array.from(accounts()).sort()) {
    if (accountId < first) continue;
    const above = accountId === first ? after?.clientOrderId : undefined;
    const range = { above, most: limit - names.length };
    for (const clientOrderId of yield* smallest(clientIds(accountId), range))
      names.push({ accountId, clientOrderId });
    if (names.length === limit) break;
  }
  return names;
}

/** Returns the first texts above a given one, in order. */
function* smallest(
  texts: Iterable<string>,
  { above, most }: Readonly<{ above: string | undefined; most: number }>,
): Generator<void, readonly string[]> {
  let kept: string[] = [];
  let looked = 0;
  for (const text of texts) {
    if (above === undefined || text > above) kept.push(text);
    if (kept.length > 2 * most) kept = kept.sort().slice(0, most);
    if (++looked % IDS_PER_STEP === 0) yield;
  }
  return kept.sort().slice(0, most);
}
