import type { AssetBalance, Balances } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { itemsOf, membersOf, requireThat, textOf } from "./reading.ts";

const MOST_ASSETS = 10_000;

const AMOUNT = /^-?[0-9]{1,40}(\.[0-9]{1,40})?$/;

/** Wraps the balances of a host with checks of every answer. */
export function checkedBalances(balances: Balances, questions: Questions): Balances {
  return {
    balances: (accountId) =>
      questions.query(
        "balances.balances",
        () => balances.balances(accountId),
        (answer) => itemsOf(answer, "the balances", MOST_ASSETS).map(readBalance),
      ),
  };
}

function readBalance(answer: unknown): AssetBalance {
  const { asset, free, locked } = membersOf(answer, "a balance");
  return {
    asset: textOf(asset, "the asset of a balance", { most: 64 }),
    free: amountText(free, "the free amount of a balance"),
    locked: amountText(locked, "the locked amount of a balance"),
  };
}

function amountText(answer: unknown, what: string): string {
  const text = textOf(answer, what, { most: 82 });
  requireThat(AMOUNT.test(text), `${what} is not a decimal`);
  return text;
}
