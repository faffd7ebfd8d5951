import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPrice, type Price } from "../../src/decimal/index.ts";
import { decodeEntry, encodeEntry } from "../../src/paper-exchange/entry.ts";
import { childOf, DEADLINE_MS, openVenueWorld, temporaryDirectory } from "../sandbox/venue-world.ts";
import { seedOr } from "../support/seed.ts";
import { anyVenueEntry } from "../support/venue-entries.ts";

describe("the paper venue's record", () => {
  it("I16: every line that is written reads back equal, at both ends of every range", () => {
    fc.assert(
      fc.property(anyVenueEntry, (entry) => {
        const line = encodeEntry(entry);
        expect(line).not.toContain("\n");
        expect(decodeEntry(line)).toStrictEqual(entry);
      }),
      { numRuns: 500, seed: seedOr(20_261_122) },
    );
  });

  it("a price above the range is read as a fact", async () => {
    const path = join(await temporaryDirectory(), "data", "venue.jsonl");
    const beyond = 1_000_005_000_000_000_000n as unknown as Price;
    const child = { ...childOf(), limitPrice: beyond };
    const entry = { kind: "arrived", child, deadlineMs: DEADLINE_MS, timeMs: 1 } as const;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${encodeEntry(entry)}\n`);
    expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
    const { venue } = await openVenueWorld({ path });
    expect(venue.children()[0]?.price).toBe(formatPrice(beyond));
    await venue.close();
  });

  it.each(["0", "-1", "1e3", "0.000000001", ""])("a limit price of %j is still refused", (text) => {
    const line = encodeEntry({
      kind: "arrived",
      child: childOf({ limitPrice: "7" }),
      deadlineMs: 1,
      timeMs: 1,
    });
    expect(() => decodeEntry(line.replace('"limitPrice":"7"', `"limitPrice":"${text}"`))).toThrow();
  });
});
