import type { EndedName, EndedNamePage } from "../../ports/index.ts";

/** What pages of names are made of: the accounts, and the client ids of each as of now. */
export type NamesByAccount = Readonly<{
  accounts: () => Iterable<number>;
  clientIds: (accountId: number) => Iterable<string>;
}>;

/** Client ids that are looked at in one step: about a millisecond. */
const IDS_PER_STEP = 8_192;

/** A page of names, by account, then client id. */
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

/** The first of the texts above one, in order. */
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
