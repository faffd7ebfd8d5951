import { describe, expect, it } from "vitest";
import { Subscriptions } from "../../../src/service/socket/private-session.ts";

const subscriptionsOf = (ended: number[] = []): ((accountId: number) => unknown) & { all: Subscriptions } => {
  const all = new Subscriptions({ nowMs: () => 0, send: () => undefined, overrun: () => undefined });
  const begin = (accountId: number): unknown =>
    all.prepare().begin({
      ...{ accountId, sequence: 0, streamId: "id" },
      start: () => undefined,
      end: () => void ended.push(accountId),
    }).answer;
  return Object.assign(begin, { all });
};

describe("subscription ids", () => {
  it("convention 4.5: 65,536 in the life of a connection, then -2042", () => {
    const begin = subscriptionsOf();
    for (let count = 0; count < 65_536; count++) {
      expect(begin(1)).toMatchObject({ body: { subscriptionId: count } });
      begin.all.end(count);
    }
    expect(() => begin(1)).toThrow("Maximum subscription ID");
  });

  it("convention 4.5: 1,000 active ones, then -2042, and the stream that was opened for it is ended", () => {
    const ended: number[] = [];
    const begin = subscriptionsOf(ended);
    for (let account = 1; account <= 1_000; account++) begin(account);
    expect(() => begin(1_001)).toThrow("Maximum subscription ID");
    expect(ended).toEqual([1_001]);
    begin.all.end(0);
    expect(begin(1_001)).toMatchObject({ body: { accountId: 1_001 } });
  });
});
