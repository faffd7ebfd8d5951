import { flagOption, type OptionCheck } from "../common/index.ts";
import { price, quantity } from "../decimal/index.ts";
import type { Rejection } from "../model/index.ts";
import type { Awaitable, RejectionQuery, Rejections } from "../ports/index.ts";
import { rejectionsOption } from "../ports/internal.ts";
import { same } from "./checks.ts";
import { type AtEnd, declareSuite, type Rules, subjectOption, type TestFramework } from "./suite.ts";

/** A store of rejections as one process has it. */
export interface RejectionsHandle {
  readonly rejections: Rejections;
  /** Resolves when no retained rejection waits to be written. */
  written(): Awaitable<void>;
  /** Ends the process: nothing is called after it. */
  close(): Awaitable<void>;
}

/** An empty place for rejections, such as a new table. It keeps at least 16 rejections of each account. */
export interface RejectionsPlace {
  /** Opens the place, as a process does when it starts. */
  open(): Awaitable<RejectionsHandle>;
  /** Removes the place. All its handles are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of a store of rejections, each declared as present or absent. */
export interface RejectionsSupport {
  /** Whether rejections that were written exist for the next handle. */
  readonly durable: boolean;
}

/** An adapter of the rejections port as its author describes it to the suite. */
export interface RejectionsSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: RejectionsSupport;
  /** Creates an empty place. The suite calls it once per test, and removes the place at the end. */
  createPlace(): Awaitable<RejectionsPlace>;
}

/** Checks an adapter that is handed to the suite. */
const rejectionsSubject: OptionCheck = /* @__PURE__ */ subjectOption<RejectionsSupport>(
  { durable: flagOption },
  "creates an empty place",
);

/** The surroundings of one rule: a place and a handle on it. */
type RejectionsWorld = Readonly<{
  rejections: Rejections;
  written: () => Promise<void>;
  /** Lists rejections of account 1, or of those that the query names. */
  list: (query?: Partial<RejectionQuery>) => Promise<readonly Rejection[]>;
  /** Closes the handle and opens another one. */
  reopen: () => Promise<Rejections>;
}>;

/** Creates a place and a handle on it. Throws a TypeError if the handle has no store of rejections. */
async function createRejectionsWorld(subject: RejectionsSubject, atEnd: AtEnd): Promise<RejectionsWorld> {
  const place = await subject.createPlace();
  atEnd(() => place.remove());
  const handles = new Set<RejectionsHandle>();
  const close = async (opened: RejectionsHandle): Promise<void> => {
    if (handles.delete(opened)) await opened.close();
  };
  const open = async (): Promise<RejectionsHandle> => {
    const opened = await place.open();
    handles.add(opened);
    atEnd(() => close(opened));
    rejectionsOption(
      opened.rejections,
      `rejections of the handle that createPlace of ${subject.name} opened`,
    );
    return opened;
  };
  let handle = await open();
  const { rejections } = handle;
  return {
    rejections,
    written: async () => await handle.written(),
    list: async (query = {}) => await rejections.list({ accountId: 1, limit: 100, ...query }),
    async reopen() {
      await close(handle);
      handle = await open();
      return handle.rejections;
    },
  };
}

/** Rules of the rejections port about one subject. */
type RejectionsRules = Rules<RejectionsWorld, RejectionsSupport>;

let made = 0;

/** A rejection of account 1 at time 1,000 with its own id. */
export function rejectionOf(fields: Partial<Rejection> = {}): Rejection {
  return {
    rejectionId: `rejection-${++made}`,
    accountId: 1,
    symbol: "BTC/USD",
    clientOrderId: "mine",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: price("9999999999.99999999"),
    quantity: quantity("999999999999.999999"),
    code: -2010,
    rejectReason: "INSUFFICIENT_BALANCES",
    errorMessage: "Account has insufficient balance for requested action.",
    timeMs: 1_000,
    ...fields,
  };
}

/** Number of rejections of an account that every store keeps (contract, Errors and Limits). */
const RETAINED = 16;

/** Rules of retaining rejections. */
const retaining: RejectionsRules = {
  "a retained rejection is found at once and exactly, including money and text": {
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
  },
  "accounts and times beyond 32 bits come back exactly": {
    remedy: "Use 64-bit columns for accounts and times.",
    async check({ rejections, written, list }) {
      const accountId = 2 ** 40 + 1;
      const rejection = rejectionOf({ accountId, timeMs: 1_767_355_200_123 });
      rejections.retain(rejection);
      await written();
      same("list of the account", await list({ accountId }), [rejection]);
      same("list of the account with the same lower 32 bits", await list({ accountId: 1 }), []);
    },
  },
  "retain neither waits nor throws, and returns nothing": {
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
  },
  "counts the stored rejections, and those that were lost": {
    remedy: "Raise `retained` when a rejection is stored, `lost` when one is dropped unwritten.",
    async check({ rejections, written }) {
      same("counts before any rejection", { ...rejections.counts }, { retained: 0, lost: 0 });
      rejections.retain(rejectionOf());
      rejections.retain(rejectionOf({ clientOrderId: "other" }));
      await written();
      same("counts after two rejections", { ...rejections.counts }, { retained: 2, lost: 0 });
    },
  },
  "contract, Errors: keeps 16 rejections of an account, however often others are refused": {
    remedy: "Drop the oldest rejections of an account, not the oldest of all accounts.",
    async check({ rejections, written, list }) {
      const mine = Array.from({ length: RETAINED }, (_, n) => rejectionOf({ clientOrderId: `mine-${n}` }));
      for (const rejection of mine) rejections.retain(rejection);
      for (let n = 0; n < 10 * RETAINED; n++)
        rejections.retain(rejectionOf({ accountId: 2, clientOrderId: `other-${n}` }));
      await written();
      same("list of the 16 of account 1, after 160 of account 2", await list(), mine);
    },
  },
  "contract, Versioning: written rejections exist for the next handle": {
    remedy: "Store the rejections, or declare `durable: false`.",
    where: { durable: true },
    async check({ rejections, written, reopen }) {
      const stored = [rejectionOf(), rejectionOf({ clientOrderId: "other" })];
      for (const rejection of stored) rejections.retain(rejection);
      await written();
      const next = await reopen();
      same("list of the next handle", await next.list({ accountId: 1, limit: 9 }), stored);
    },
  },
  "a store that is not durable begins empty": {
    remedy: "Declare `durable: true`, so that the rules of durability are checked, or keep nothing.",
    where: { durable: false },
    async check({ rejections, written, reopen }) {
      rejections.retain(rejectionOf());
      await written();
      const next = await reopen();
      same("list of the next handle", await next.list({ accountId: 1, limit: 9 }), []);
      same("counts of the next handle", { ...next.counts }, { retained: 0, lost: 0 });
    },
  },
};

/** Rules of listing rejections. */
const listing: RejectionsRules = {
  "lists the newest `limit`, oldest first, in the order in which they were retained": {
    remedy:
      "Order by a counter of your own: several rejections have one time. Take the last `limit` of that order.",
    async check({ rejections, written, list }) {
      const all = Array.from({ length: 12 }, (_, n) => rejectionOf({ clientOrderId: `mine-${n}` }));
      for (const rejection of all) rejections.retain(rejection);
      same("list, limit 2", await list({ limit: 2 }), all.slice(-2));
      same("list of 12 with one time", await list(), all);
      await written();
      same("list, limit 2, after written()", await list({ limit: 2 }), all.slice(-2));
      same("list of 12 with one time, after written()", await list(), all);
    },
  },
  "never lists a rejection of another account": {
    remedy: "Select by account in every query, whatever else is asked for.",
    async check({ rejections, written, list }) {
      const mine = rejectionOf();
      const foreign = rejectionOf({ accountId: 2 });
      for (const rejection of [mine, foreign]) rejections.retain(rejection);
      for (const when of ["right after retain", "after written()"]) {
        same(`list of account 1 ${when}`, await list(), [mine]);
        same(`list of account 2 ${when}`, await list({ accountId: 2 }), [foreign]);
        same(`list of account 3 ${when}`, await list({ accountId: 3 }), []);
        const named = { clientOrderId: "mine", symbol: "BTC/USD" };
        same(`list of account 2 by symbol and client id ${when}`, await list({ accountId: 2, ...named }), [
          foreign,
        ]);
        await written();
      }
    },
  },
  "is narrowed by symbol and client id": {
    remedy: "Compare both byte by byte: `Mine` is not `mine`. A filter that is not given selects everything.",
    async check({ rejections, written, list }) {
      const mine = rejectionOf();
      const ether = rejectionOf({ symbol: "ETH/USD", clientOrderId: "Mine" });
      for (const rejection of [mine, ether]) rejections.retain(rejection);
      for (const when of ["right after retain", "after written()"]) {
        same(`list ${when}`, await list(), [mine, ether]);
        same(`list of ETH/USD ${when}`, await list({ symbol: "ETH/USD" }), [ether]);
        same(`list of "mine" ${when}`, await list({ clientOrderId: "mine" }), [mine]);
        same(`list of "Mine" ${when}`, await list({ clientOrderId: "Mine" }), [ether]);
        const both = { clientOrderId: "Mine", symbol: "BTC/USD" };
        same(`list of "Mine" in BTC/USD ${when}`, await list(both), []);
        await written();
      }
    },
  },
  "is narrowed by time, both ends included, before the limit is applied": {
    remedy: "Compare `timeMs` with `>=` and `<=`, then take the newest `limit`.",
    async check({ rejections, written, list }) {
      const all = [1_000, 1_001, 1_002].map((timeMs) =>
        rejectionOf({ timeMs, clientOrderId: `at-${timeMs}` }),
      );
      const [first, second] = all;
      for (const rejection of all) rejections.retain(rejection);
      for (const when of ["right after retain", "after written()"]) {
        same(`list of 1000 to 1000 ${when}`, await list({ startTimeMs: 1_000, endTimeMs: 1_000 }), [first]);
        same(`list from 1001 ${when}`, await list({ startTimeMs: 1_001 }), all.slice(1));
        same(`list to 1001 ${when}`, await list({ endTimeMs: 1_001 }), all.slice(0, 2));
        same(`list to 1001, limit 1 ${when}`, await list({ endTimeMs: 1_001, limit: 1 }), [second]);
        same(`list from 1003 ${when}`, await list({ startTimeMs: 1_003 }), []);
        await written();
      }
    },
  },
};

/** All rules of the rejections port, by subject. */
export const rejectionsRules: Readonly<Record<string, RejectionsRules>> = { retaining, listing };

/**
 * Declares one test for each rule of the rejections port. Throws a TypeError that names a part of the description that
 * is missing, unknown or of the wrong type; a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testRejections } from "managed-orders/conformance";
 * import { createRejectionBuffer } from "managed-orders/service";
 *
 * export const declareTests = (): void =>
 *   testRejections({ describe, it }, {
 *     name: "buffer",
 *     supports: { durable: false },
 *     createPlace: () => ({
 *       open: () => ({ rejections: createRejectionBuffer(), written: () => {}, close: () => {} }),
 *       remove: () => {},
 *     }),
 *   });
 * ```
 */
export function testRejections(framework: TestFramework, subject: RejectionsSubject): void {
  rejectionsSubject(subject, "testRejections");
  declareSuite(framework, {
    port: "rejections",
    subject,
    groups: rejectionsRules,
    open: (atEnd) => createRejectionsWorld(subject, atEnd),
  });
}
