import { describe, expect, it } from "vitest";
import { createMarketFeed } from "../../src/adapters/memory/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { add, formatQuantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OwnFillsInPrints } from "../../src/ports/index.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const HALF = { type: "POV", quantity: "1000", participationBips: 5_000 } as const;

async function following(
  ownFills: OwnFillsInPrints | undefined,
  fields = HALF,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const world = await createWorld({ marketData: createMarketFeed(ownFills) });
  await world.quote("99", "100");
  return { world, order: await world.place(fields) };
}

/** The public print of the newest child, under an id of the tape. */
const tapePrint = async (world: World, sent = world.venue.submitted.at(-1)): Promise<void> =>
  world.print(formatQuantity(sent?.quantity ?? ZERO_QUANTITY));

describe("decision 30: a POV does not follow its own fills", () => {
  it("prints that name them by other ids are volume, and are not followed", async () => {
    const { world, order } = await following("other-id");
    await world.print("10");
    for (let n = 0; n < world.venue.submitted.length; n++) {
      await tapePrint(world, world.venue.submitted[n]);
      await world.quote("99", "100");
    }
    expect([sentTo(world.venue), await world.executed(order)]).toEqual([["BUY 5"], "5"]);
  });

  it("prints of them that come after those of others are not followed either", async () => {
    const { world } = await following("other-id");
    await world.print("10");
    await world.print("6");
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
    for (const sent of [...world.venue.submitted]) await tapePrint(world, sent);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(2);
    await world.pass(7_000);
    await world.quote("99", "100");
    await world.print("9");
    // Half of 10 + 6 + 5 + 3 + 9, less 8: the trade of others exceeds what may still have been their own.
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3", "BUY 8.5"]);
  });

  it("those of before a restart are not followed after it", async () => {
    const { world } = await following("other-id");
    await world.print("10");
    await world.crash();
    await world.quote("99", "100");
    await tapePrint(world);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 5"]);
    await world.pass(6_000);
    await world.quote("99", "100");
    await world.print("0.1");
    await world.print("0.9");
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
  });

  it("fills that the prints leave out are added to the volume", async () => {
    const { world } = await following("none");
    await world.print("10");
    await world.quote("99", "100");
    await world.print("1");
    // Half of 10 + 5 + 1, less 5.
    expect(sentTo(world.venue)).toEqual(["BUY 5", "BUY 3"]);
  });

  it("a source that says nothing names them by execution id", async () => {
    const { world, order } = await following(undefined);
    await world.print("10");
    const { executions } = await world.order(order);
    await world.print("5", { id: executions.last ?? "" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 5"]);
  });

  it("a word that is none of these is refused", async () => {
    await expect(following("sometimes" as OwnFillsInPrints)).rejects.toThrow(
      "marketData.ownFillsInPrints must be one of by-execution-id, other-id, none",
    );
  });

  it.each(["other-id", "none"] as const)(
    "I34: whenever its prints come (%s), a child follows a trade of others and stays in its share",
    async (ownFills) => {
      for (const participationBips of [500, 5_000, 9_000, 10_000]) {
        const random = createRandom(43_012 + participationBips);
        const { world } = await following(ownFills, {
          ...HALF,
          quantity: "1000000",
          participationBips,
        } as never);
        let [external, printedOwn, sinceChild, printed] = [ZERO_QUANTITY, 0, 0, 0];
        for (let n = 0; n < 120; n++) {
          const before = world.venue.submitted.length;
          const isOwn = ownFills === "other-id" && printedOwn < before && random.below(3) > 0;
          if (isOwn) await tapePrint(world, world.venue.submitted[printedOwn++]);
          else {
            const size = `${random.below(40)}.${String(1 + random.below(999_999)).padStart(6, "0")}`;
            external = add(external, quantity(size));
            sinceChild++;
            await world.print(size);
          }
          printed++;
          if (random.below(4) === 0) await world.pass(random.below(2_500));
          await world.quote("99", "100");
          const after = world.venue.submitted.length;
          expect([n, after - before <= Math.min(1, sinceChild)]).toEqual([n, true]);
          if (after > before) sinceChild = 0;
          const own = world.venue.submitted.reduce((sum, one) => sum + BigInt(one.quantity), 0n);
          const share = ((BigInt(external) + own) * BigInt(participationBips)) / 10_000n;
          expect([printed, own <= share]).toEqual([printed, true]);
        }
        expect(world.venue.submitted.length, `${participationBips}`).toBeGreaterThan(5);
      }
    },
  );
});
