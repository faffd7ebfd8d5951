import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { checkedRejections, Questions } from "../../src/host-answers/index.ts";
import type { Rejection } from "../../src/model/index.ts";
import type { RejectionQuery } from "../../src/ports/index.ts";

const REJECTION: Rejection = {
  ...{ rejectionId: "r-1", accountId: 1, symbol: "BTC/USD", clientOrderId: "mine", code: -2010 },
  ...{ rejectReason: "OTHER", errorMessage: "Duplicate order sent.", timeMs: 1_000 },
};

/** Asks a host that answers every query with the same rejection. */
function answerTo(query: Partial<RejectionQuery>): unknown {
  const reported: unknown[] = [];
  const questions = new Questions({
    clock: createManualClock({ startMs: 0 }),
    telemetry: { event: (_level, _name, { problem }) => void reported.push(problem) },
    timeoutMs: 5_000,
  });
  const host = { retain: () => undefined, list: () => [REJECTION], counts: { retained: 1, lost: 0 } };
  try {
    return checkedRejections(host, questions).list({ accountId: 1, limit: 1, ...query });
  } catch (error) {
    return `${(error as { code?: number }).code} ${reported.pop()}`;
  }
}

describe("a rejection that a host answers with is one that was asked for", () => {
  it("as an order is: of the account, the market and the client id", () => {
    expect(answerTo({})).toEqual([REJECTION]);
    expect(answerTo({ symbol: "BTC/USD", clientOrderId: "mine" })).toEqual([REJECTION]);
  });

  it.each<readonly [what: string, query: Partial<RejectionQuery>]>([
    ["account", { accountId: 2 }],
    ["market", { symbol: "ETH/USD" }],
    ["client id", { symbol: "BTC/USD", clientOrderId: "Mine" }],
  ])("and otherwise a failure: it would show an order as rejected that was not (%s)", (what, query) => {
    const problem = what === "client id" ? "has another client id" : `belongs to another ${what}`;
    expect(answerTo(query)).toBe(`-1001 a rejection ${problem} than requested`);
  });
});
