import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { ShardAppend } from "../../src/ports/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { OCO } from "../support/list-samples.ts";
import { createWorld } from "../support/world.ts";

it("decision EJ: a record is encoded when it is decided, and its text goes to the store with it", async () => {
  const parts: ShardAppend[] = [];
  const world = await createWorld({
    store: (disk) => {
      const store = createMemoryStore({ disk });
      const append: typeof store.append = (batch) => {
        parts.push(...batch.shards);
        return store.append(batch);
      };
      return { ...store, append };
    },
  });
  await world.quote("101", "102");
  await world.place({ price: "100" });
  await world.cancel(await world.place({ price: "99" }));
  await world.placeList("oco", OCO);
  await world.quote("99", "100");
  expect(new Set(parts.flatMap(({ records }) => records.map(({ cause }) => cause.kind)))).toEqual(
    new Set(["PLACE", "CANCEL", "QUOTE", "VENUE"]),
  );
  for (const { records, texts } of parts) expect(texts).toEqual(records.map(encodeRecord));
});
