import { describe, expect, it } from "vitest";
import { testRejections } from "../../../src/conformance/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import type { Rejections } from "../../../src/ports/index.ts";
import { createRejectionBuffer } from "../../../src/service/index.ts";

testRejections(
  { describe, it },
  {
    name: "buffer in memory",
    supports: { durable: false },
    createPlace: () => ({
      open: () => ({ rejections: createRejectionBuffer(), written: () => {}, close: () => {} }),
      remove: () => {},
    }),
  },
);

describe("the rejection buffer", () => {
  const ids = async (rejections: Rejections, accountId = 1): Promise<readonly string[]> =>
    (await rejections.list({ accountId, limit: 100 })).map(({ clientOrderId }) => clientOrderId);
  const fill = (rejections: Rejections, count: number, accountId = 1): void => {
    for (let index = 1; index <= count; index++) {
      rejections.retain(rejectionOf({ accountId, clientOrderId: `r-${index}` }));
    }
  };

  it("contract, Limits: keeps the newest 16 of each account", async () => {
    const rejections = createRejectionBuffer();
    fill(rejections, 17);
    fill(rejections, 1, 2);
    expect(await ids(rejections)).toEqual(Array.from({ length: 16 }, (_, index) => `r-${index + 2}`));
    expect(await ids(rejections, 2)).toEqual(["r-1"]);
    expect(rejections.counts).toEqual({ retained: 18, lost: 0 });
  });

  it("a repeated refusal replaces the first, so that a retry loop displaces no other", async () => {
    const rejections = createRejectionBuffer();
    fill(rejections, 16);
    for (let attempt = 0; attempt < 100; attempt++) {
      rejections.retain(
        rejectionOf({ accountId: 1, clientOrderId: "r-16", rejectionId: `again-${attempt}` }),
      );
    }
    expect(await ids(rejections)).toEqual(Array.from({ length: 16 }, (_, index) => `r-${index + 1}`));
    const [last] = await rejections.list({ accountId: 1, clientOrderId: "r-16", limit: 1 });
    expect(last?.rejectionId).toBe("again-99");
  });

  it("I64: the number of accounts is limited; the one with the oldest last rejection is forgotten", async () => {
    const rejections = createRejectionBuffer({ perAccount: 1, maxAccounts: 2 });
    for (const accountId of [1, 2, 1, 3]) fill(rejections, 1, accountId);
    expect([await ids(rejections, 1), await ids(rejections, 2), await ids(rejections, 3)]).toEqual([
      ["r-1"],
      [],
      ["r-1"],
    ]);
  });

  it("keeps at least one", () => {
    for (const options of [{ perAccount: 0 }, { maxAccounts: 0 }, { perAccount: Number.NaN }]) {
      expect(() => createRejectionBuffer(options)).toThrow(RangeError);
    }
  });
});
