import { price } from "../../decimal/index.ts";
import type { Rejection } from "../../model/index.ts";
import { same } from "../suite/index.ts";
import { rejectionOf } from "./samples.ts";
import type { RejectionsRule, RejectionsRules } from "./world.ts";

/** Number of rejections of an account that every store keeps (contract, Errors and Limits). */
const RETAINED = 16;

const exact: RejectionsRule = {
  name: "a retained rejection is found at once and exactly, including money and text",
  remedy:
    "Let `list` see rejections that wait to be written. Keep prices and quantities exact; leave absent members absent.",
  async check({ rejections, written, list }) {
    const whole = rejectionOf({ stopPrice: price("0.00000001"), errorMessage: 'a "b" \\ \n \u2028 é' });
    const bare: Rejection = {
      rejectionId: "bare",
      accountId: 1,
      symbol: "BTC/USD",
      clientOrderId: "bare",
      code: -1013,
      rejectReason: "MIN_NOTIONAL",
      errorMessage: "Filter failure: NOTIONAL",
      timeMs: 1_000,
    };
    rejections.retain(whole);
    rejections.retain(bare);
    same("list right after retain", await list(), [whole, bare]);
    await written();
    same("list after written()", await list(), [whole, bare]);
  },
};

const wide: RejectionsRule = {
  name: "accounts and times beyond 32 bits come back exactly",
  remedy: "Use 64-bit columns for accounts and times.",
  async check({ rejections, written, list }) {
    const accountId = 2 ** 40 + 1;
    const rejection = rejectionOf({ accountId, timeMs: 1_767_355_200_123 });
    rejections.retain(rejection);
    await written();
    same("list of the account", await list({ accountId }), [rejection]);
    same("list of the account with the same lower 32 bits", await list({ accountId: 1 }), []);
  },
};

const immediate: RejectionsRule = {
  name: "retain neither waits nor throws, and returns nothing",
  remedy:
    "Queue the rejection and write it later. The caller does not wait for a promise that `retain` returns.",
  async check({ rejections, written }) {
    same("retain", rejections.retain(rejectionOf()) as unknown, undefined);
    same(
      "retain of a text with quotes",
      rejections.retain(rejectionOf({ errorMessage: "'; --" })) as unknown,
      undefined,
    );
    await written();
  },
};

const counted: RejectionsRule = {
  name: "counts the stored rejections, and those that were lost",
  remedy: "Raise `retained` when a rejection is stored, `lost` when one is dropped unwritten.",
  async check({ rejections, written }) {
    same("counts before any rejection", { ...rejections.counts }, { retained: 0, lost: 0 });
    rejections.retain(rejectionOf());
    rejections.retain(rejectionOf({ clientOrderId: "other" }));
    await written();
    same("counts after two rejections", { ...rejections.counts }, { retained: 2, lost: 0 });
  },
};

const enough: RejectionsRule = {
  name: "contract, Errors: keeps 16 rejections of an account, however often others are refused",
  remedy: "Drop the oldest rejections of an account, not the oldest of all accounts.",
  async check({ rejections, written, list }) {
    const mine = Array.from({ length: RETAINED }, (_, n) => rejectionOf({ clientOrderId: `mine-${n}` }));
    for (const rejection of mine) rejections.retain(rejection);
    for (let n = 0; n < 10 * RETAINED; n++)
      rejections.retain(rejectionOf({ accountId: 2, clientOrderId: `other-${n}` }));
    await written();
    same("list of the 16 of account 1, after 160 of account 2", await list(), mine);
  },
};

const durable: RejectionsRule = {
  name: "contract, Versioning: written rejections exist for the next handle",
  remedy: "Store the rejections, or declare `durable: false`.",
  where: { durable: true },
  async check({ rejections, written, reopen }) {
    const stored = [rejectionOf(), rejectionOf({ clientOrderId: "other" })];
    for (const rejection of stored) rejections.retain(rejection);
    await written();
    const next = await reopen();
    same("list of the next handle", await next.list({ accountId: 1, limit: 9 }), stored);
  },
};

const forgotten: RejectionsRule = {
  name: "a store that is not durable begins empty",
  remedy: "Declare `durable: true`, so that the rules of durability are checked, or keep nothing.",
  where: { durable: false },
  async check({ rejections, written, reopen }) {
    rejections.retain(rejectionOf());
    await written();
    const next = await reopen();
    same("list of the next handle", await next.list({ accountId: 1, limit: 9 }), []);
    same("counts of the next handle", { ...next.counts }, { retained: 0, lost: 0 });
  },
};

/** Rules of retaining rejections. */
export const retaining: RejectionsRules = {
  name: "retaining",
  rules: [exact, wide, immediate, counted, enough, durable, forgotten],
};
