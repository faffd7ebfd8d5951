import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplayGuard, type ReplayVerdict, sign } from "../../src/signing/index.ts";

const signatureOf = (number: number): string => number.toString(16).padStart(64, "0");
const GET = "GET /api/v3/openOrders";
const DELETE = "DELETE /api/v3/openOrders";
const apiKey = "key";

describe("createReplayGuard", () => {
  it("hostile 20: a signed GET replayed as DELETE is another use, at any time", () => {
    const guard = createReplayGuard();
    const seen = { apiKey, signature: signatureOf(1), nowMs: 0 };
    expect(guard.decide({ ...seen, use: GET })).toBe("first");
    expect(guard.decide({ ...seen, use: DELETE })).toBe("other");
    expect(guard.decide({ ...seen, use: DELETE })).toBe("other");
    expect(guard.decide({ ...seen, use: GET })).toBe("same");
  });

  it("hostile 21: a signed OCO body replayed to the legacy path is another use", () => {
    const guard = createReplayGuard();
    const seen = { apiKey, signature: signatureOf(1), nowMs: 0 };
    expect(guard.decide({ ...seen, use: "POST /api/v3/orderList/oco" })).toBe("first");
    expect(guard.decide({ ...seen, use: "POST /api/v3/order/oco" })).toBe("other");
  });

  it("hostile 22: the same signed request twice is the same use, in either letter case", () => {
    const guard = createReplayGuard();
    const seen = { apiKey, use: GET, nowMs: 0 };
    expect(guard.decide({ ...seen, signature: "ab".repeat(32) })).toBe("first");
    expect(guard.decide({ ...seen, signature: "AB".repeat(32) })).toBe("same");
  });

  it("hostile 22: a text that is not a signature counts as itself, in either letter case", () => {
    const guard = createReplayGuard();
    const seen = { apiKey, nowMs: 0 };
    for (const text of ["", "short", "not hex".repeat(9), "z".repeat(64)]) {
      expect(guard.decide({ ...seen, signature: text, use: `${GET}?${text}` })).toBe("first");
      expect(guard.decide({ ...seen, signature: text.toUpperCase(), use: `${GET}?${text}` })).toBe("same");
    }
  });

  it("hostile 22: other signatures are other requests, whatever their digits", () => {
    const guard = createReplayGuard();
    for (let number = 0; number < 300; number++) {
      const signature = sign({ secret: "s", payload: `${number}` });
      expect(guard.decide({ apiKey, signature, use: `${number}`, nowMs: 0 })).toBe("first");
    }
  });

  it("a use that may follow another passes after it, and not before it", () => {
    const guard = createReplayGuard();
    const query = { apiKey, use: "query", after: "subscription", nowMs: 0 };
    const subscription = { apiKey, use: "subscription", nowMs: 0 };
    const verdicts = (number: number, ...uses: (typeof query | typeof subscription)[]): ReplayVerdict[] =>
      uses.map((seen) => guard.decide({ ...seen, signature: signatureOf(number) }));
    expect(verdicts(1, query, subscription, query)).toEqual(["first", "other", "same"]);
    expect(verdicts(2, subscription, query, subscription)).toEqual(["first", "same", "same"]);
    expect(verdicts(2, { ...subscription, use: "cancel" })).toEqual(["other"]);
  });

  describe("one cancel after a read", () => {
    const readAtMs = 5000;
    const read = { apiKey, signature: signatureOf(1), use: "query", nowMs: readAtMs };
    const cancel = { ...read, use: "cancel", onceAfter: "query" };
    const sender = { address: "1.1.1.1", connection: "a" };

    it.each([
      ["the same address, at once", { address: "1.1.1.1" }, 0, "same"],
      ["the same address, after a second", { address: "1.1.1.1" }, 1000, "same"],
      ["the same address, later", { address: "1.1.1.1" }, 1001, "other"],
      ["the same address, another connection", { address: "1.1.1.1", connection: "b" }, 1000, "same"],
      ["the same connection, later", sender, 60_000, "same"],
      ["another address, at once", { address: "1.1.1.2", connection: "b" }, 0, "other"],
      ["nobody that is named", undefined, 0, "other"],
    ] as const)("from %s", (_who, from, afterMs, verdict) => {
      const guard = createReplayGuard();
      expect(guard.decide({ ...read, sender })).toBe("first");
      const nowMs = readAtMs + afterMs;
      expect(guard.decide({ ...cancel, nowMs, ...(from && { sender: from }) })).toBe(verdict);
    });

    it("senders without connections are told apart by address", () => {
      const guard = createReplayGuard();
      guard.decide({ ...read, sender: { address: "1.1.1.1" } });
      expect(guard.decide({ ...cancel, sender: { address: "1.1.1.2" } })).toBe("other");
    });

    it("follows the read that it names, and no other", () => {
      const guard = createReplayGuard();
      guard.decide({ ...read, use: "query all", sender });
      expect(guard.decide({ ...cancel, sender })).toBe("other");
    });

    it("is one: another cancel is refused, and a repetition passes to the handler", () => {
      const guard = createReplayGuard();
      guard.decide({ ...read, sender });
      expect(guard.decide({ ...cancel, sender })).toBe("same");
      expect(guard.decide({ ...cancel, use: "cancel all", sender })).toBe("other");
      expect(guard.decide({ ...cancel, sender })).toBe("same");
      expect(guard.decide({ ...read, sender })).toBe("same");
    });

    it("a read that was sent again gives its sender nothing", () => {
      const guard = createReplayGuard();
      const thief = { address: "6.6.6.6", connection: "t" };
      guard.decide({ ...read, sender });
      expect(guard.decide({ ...read, sender: thief })).toBe("same");
      expect(guard.decide({ ...cancel, sender: thief })).toBe("other");
    });

    it("a cancel comes second: a read after it is refused", () => {
      const guard = createReplayGuard();
      expect(guard.decide({ ...cancel, sender })).toBe("first");
      expect(guard.decide({ ...read, sender })).toBe("other");
    });

    it("I84: a key with many reads forgets the senders of its own oldest, and no others", () => {
      const guard = createReplayGuard();
      const other = { ...read, apiKey: "other", sender };
      guard.decide(other);
      for (let number = 1; number <= 1001; number++)
        guard.decide({ ...read, signature: signatureOf(number), sender });
      expect(guard.decide({ ...cancel, sender })).toBe("other");
      expect(guard.decide({ ...cancel, signature: signatureOf(2), sender })).toBe("same");
      expect(guard.decide({ ...cancel, apiKey: "other", sender })).toBe("same");
    });

    it("I84: cancels that follow no read take no room of the senders of reads", () => {
      const guard = createReplayGuard();
      guard.decide({ ...read, sender });
      for (let number = 2; number <= 1002; number++)
        guard.decide({ ...cancel, signature: signatureOf(number), sender });
      expect(guard.decide({ ...cancel, sender })).toBe("same");
    });
  });

  it("keys are independent", () => {
    const guard = createReplayGuard();
    const seen = { signature: signatureOf(1), nowMs: 0 };
    expect(guard.decide({ ...seen, apiKey: "a", use: GET })).toBe("first");
    expect(guard.decide({ ...seen, apiKey: "b", use: DELETE })).toBe("first");
  });

  it("an unused entry is forgotten after two full generations, not earlier", () => {
    const guard = createReplayGuard({ maxPerGeneration: 10 });
    const use = (number: number): ReplayVerdict =>
      guard.decide({ apiKey, signature: signatureOf(number), use: GET, nowMs: 0 });
    for (let number = 0; number < 20; number++) expect(use(number)).toBe("first");
    expect(guard.decide({ apiKey, signature: signatureOf(0), use: DELETE, nowMs: 0 })).toBe("other");
    for (let number = 20; number < 40; number++) expect(use(number)).toBe("first");
    expect(use(1)).toBe("first");
    expect(use(39)).toBe("same");
  });

  it("a repeated use carries the entry on, with its first use", () => {
    const guard = createReplayGuard({ maxPerGeneration: 10 });
    const decide = (number: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey, signature: signatureOf(number), use, nowMs: 0 });
    decide(0, GET);
    for (let number = 1; number < 500; number++) {
      decide(number, GET);
      if (number % 5 === 0)
        expect(decide(0, number % 2 === 0 ? GET : DELETE)).toBe(number % 2 === 0 ? "same" : "other");
    }
    expect(decide(0, DELETE)).toBe("other");
  });

  it("I84: a key that uses up all room displaces its own entries and no others", () => {
    const guard = createReplayGuard({ maxPerGeneration: 50 });
    const decide = (key: string, number: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey: key, signature: signatureOf(number), use, nowMs: 0 });
    for (let number = 0; number < 25; number++) decide("quiet", number, GET);
    for (let number = 0; number < 5_000; number++) decide("loud", number, GET);
    for (let number = 0; number < 25; number++) expect(decide("quiet", number, DELETE)).toBe("other");
    expect(decide("loud", 4_930, DELETE)).toBe("other");
    expect(decide("loud", 4_920, DELETE)).toBe("first");
  });

  it("I84: each of many busy keys has its share; the total stays the same", () => {
    const guard = createReplayGuard({ maxPerGeneration: 50 });
    const decide = (key: number, number: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey: `k${key}`, signature: signatureOf(number), use, nowMs: 0 });
    for (let number = 0; number < 1_000; number++)
      for (let key = 0; key < 10; key++) decide(key, number, GET);
    const known = (key: number): number => {
      let count = 0;
      for (let number = 999; number >= 0 && decide(key, number, GET) === "same"; number--) count++;
      return count;
    };
    expect(Array.from({ length: 10 }, (_, key) => known(key))).toEqual(Array.from({ length: 10 }, () => 10));
  });

  it("I84: room is taken in turn from the keys that have most", () => {
    const guard = createReplayGuard({ maxPerGeneration: 5 });
    const decide = (key: string, number: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey: key, signature: signatureOf(number), use, nowMs: 0 });
    for (let number = 0; number < 5; number++) for (const key of ["a", "b"]) decide(key, number, GET);
    for (let number = 0; number < 4; number++) decide("c", number, GET);
    const verdicts = (key: string, numbers: readonly number[]): readonly ReplayVerdict[] =>
      numbers.map((number) => decide(key, number, DELETE));
    expect(verdicts("c", [0, 1, 2, 3])).toEqual(["other", "other", "other", "other"]);
    for (const key of ["a", "b"]) expect(verdicts(key, [2, 3, 4])).toEqual(["other", "other", "other"]);
    expect(verdicts("a", [1])).toEqual(["first"]);
  });

  it("both generations count, and the closed one is forgotten first", () => {
    const guard = createReplayGuard({ maxPerGeneration: 5, generationMs: 1000 });
    const decide = (number: number, nowMs: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey, signature: signatureOf(number), use, nowMs });
    for (let number = 0; number < 6; number++) decide(number, 0, GET);
    for (let number = 6; number < 12; number++) decide(number, 1000, GET);
    for (let number = 11; number >= 2; number--) expect(decide(number, 1000, DELETE)).toBe("other");
    expect(decide(0, 1000, GET)).toBe("first");
    expect(decide(1, 1000, GET)).toBe("first");
  });

  it("a generation closes at its age", () => {
    const guard = createReplayGuard({ generationMs: 1000 });
    const decide = (number: number, nowMs: number, use: string): ReplayVerdict =>
      guard.decide({ apiKey, signature: signatureOf(number), use, nowMs });
    expect(decide(1, 5000, GET)).toBe("first");
    expect(decide(2, 6000, GET)).toBe("first");
    expect(decide(3, 6999, GET)).toBe("first");
    expect(decide(1, 6999, DELETE)).toBe("other");
    decide(4, 7000, GET);
    expect(decide(3, 7500, DELETE)).toBe("other");
    decide(5, 8000, GET);
    decide(6, 9000, GET);
    expect(decide(2, 9000, DELETE)).toBe("first");
  });

  it("the default is 24 hours", () => {
    const guard = createReplayGuard();
    const dayMs = 86_400_000;
    const decide = (number: number, nowMs: number): ReplayVerdict =>
      guard.decide({ apiKey, signature: signatureOf(number), use: GET, nowMs });
    decide(1, 0);
    decide(2, dayMs - 1);
    decide(3, dayMs);
    expect(decide(1, dayMs)).toBe("same");
    decide(4, 2 * dayMs);
    decide(5, 3 * dayMs);
    expect(decide(2, 3 * dayMs)).toBe("first");
    const other = createReplayGuard();
    const seen = { apiKey, signature: signatureOf(1), use: GET };
    other.decide({ ...seen, nowMs: 0 });
    for (let hour = 1; hour < 24; hour++)
      other.decide({ ...seen, signature: signatureOf(1 + hour), nowMs: (hour * dayMs) / 24 });
    expect(other.decide({ ...seen, use: DELETE, nowMs: dayMs - 1 })).toBe("other");
  });

  it("a clock that goes back closes no generation", () => {
    const guard = createReplayGuard({ generationMs: 1000 });
    guard.decide({ apiKey, signature: signatureOf(1), use: GET, nowMs: 1_000_000 });
    for (let number = 2; number < 20; number++) {
      guard.decide({ apiKey, signature: signatureOf(number), use: GET, nowMs: 1000 * number });
    }
    expect(guard.decide({ apiKey, signature: signatureOf(1), use: DELETE, nowMs: 0 })).toBe("other");
  });

  it("keeps at least the newest generation, always with its first use", () => {
    const calls = fc.array(fc.tuple(fc.nat(25), fc.constantFrom(GET, DELETE)), { maxLength: 200 });
    fc.assert(
      fc.property(calls, (sequence) => {
        const guard = createReplayGuard({ maxPerGeneration: 8 });
        const firstUse = new Map<number, string>();
        sequence.forEach(([number, use], index) => {
          const verdict = guard.decide({ apiKey, signature: signatureOf(number), use, nowMs: 0 });
          const recent = sequence
            .slice(Math.max(index - 8, 0), index)
            .some(([earlier]) => earlier === number);
          if (verdict === "first") {
            expect(recent).toBe(false);
            firstUse.set(number, use);
          } else expect(verdict).toBe(firstUse.get(number) === use ? "same" : "other");
        });
      }),
    );
  });

  it("refuses limits below 1", () => {
    expect(() => createReplayGuard({ maxPerGeneration: 0 })).toThrow(
      /^createReplayGuard[.]maxPerGeneration must be/,
    );
    expect(() => createReplayGuard({ generationMs: 0 })).toThrow(
      /^createReplayGuard[.]generationMs .* of milliseconds/,
    );
    expect(() => createReplayGuard({ generationMs: Number.NaN })).toThrow(RangeError);
  });
});
