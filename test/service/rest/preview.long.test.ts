import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantity, subtract, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import { type PreviewContext, previewOrder } from "../../../src/lifecycle/index.ts";
import type { OrderFields } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { similarOrders } from "../../requests/arbitraries.ts";
import { openWorld, place, type ServiceWorld, START_MS } from "../../support/service-world.ts";

/** Orders near the limits of admission: around the minimum, the market at 7 and the time, with and without an id. */
const near = fc
  .record({
    order: similarOrders,
    quantity: fc.constantFrom("1.8", "2.142857", "2.142858", "3", "40"),
    expireTime: fc.constantFrom(START_MS, START_MS + 1, START_MS + 60_000),
    named: fc.boolean(),
  })
  .map(({ order: { newClientOrderId: _id, expireTime, ...order }, quantity, named, ...more }) => ({
    ...order,
    quantity,
    ...(expireTime !== undefined && { expireTime: more.expireTime }),
    ...(named && { newClientOrderId: "named" }),
  }));

/** A change of one field: another value, or none. */
const changes = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({
    name: fc.constantFrom(
      "price",
      "stopPrice",
      "interval",
      "trailingDelta",
      "limitOffset",
      "icebergQty",
      "side",
      "quantity",
    ),
    value: fc.constantFrom(
      undefined,
      "",
      "0",
      "-1",
      "1e3",
      "7.000000001",
      "99999999999999999999",
      "5",
      5,
      1.5,
      -3,
      true,
    ),
  }),
  fc.record({
    name: fc.constant("newClientOrderId"),
    value: fc.constantFrom("", "a b", "aqc-x", "..", "a".repeat(37), 7),
  }),
  fc.record({ name: fc.constant("timeInForce"), value: fc.constantFrom("GTD", "GTC", "IOC", "GTX") }),
);

const quotes = fc.constantFrom(
  undefined,
  { bid: "6.99", ask: "7" },
  { bid: "7", ask: "7.00000001" },
  { bid: "8", ask: "8.5" },
);
const positions = fc.constantFrom("1", "2.5", "-0.000001");

type Case = Readonly<{ fields: RequestParameters; context: PreviewContext }>;

const cases: fc.Arbitrary<Case> = fc
  .record({ order: near, change: changes, quote: quotes, position: positions })
  .map(({ order, change, quote, position }) => {
    const { name, value }: Readonly<{ name?: string; value?: unknown }> = change;
    const fields = { ...order, ...(name !== undefined && { [name]: value }) } as RequestParameters;
    return { fields, context: { position, nowMs: START_MS, ...(quote && { quote }) } };
  })
  // Without the fields that make it a managed order, a LIMIT is native.
  .filter(
    ({ fields }) => fields.type !== "LIMIT" || fields.apiManaged === true || "targetStrategy" in fields,
  );

/** A service with only the quote and the position of a case. */
async function worldOf({ quote, position = "1" }: PreviewContext): Promise<ServiceWorld> {
  const world = await openWorld();
  if (quote !== undefined) world.feed.quote({ symbol: "BTC/USD", ...quote });
  const size = quantity(position.replace("-", ""));
  const held = position.startsWith("-") ? subtract(ZERO_QUANTITY, size) : size;
  world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: held });
  return world;
}

const stop = { symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP", quantity: "2", trailingDelta: 100 };
const maker = { symbol: "BTC/USD", side: "BUY", type: "LIMIT_MAKER", quantity: "3", price: "7" };
const quote = { bid: "7", ask: "7" };

/** The rules of quotes and client ids, which random cases rarely reach. */
const USUAL: readonly Case[] = [
  { fields: stop, context: {} },
  { fields: stop, context: { quote } },
  { fields: { ...stop, quantity: "3" }, context: { quote } },
  { fields: maker, context: { quote } },
  { fields: maker, context: { quote: { bid: "7", ask: "7.00000001" } } },
  { fields: { ...maker, newClientOrderId: "aqc-x" }, context: {} },
  { fields: { ...maker, stopPrice: "7" }, context: {} },
  { fields: { ...stop, quantity: "3", reduceOnly: true }, context: { quote, position: "-1" } },
];

describe("previewOrder agrees with the service", () => {
  it("property: the same refusal, code and msg, or none", async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(cases, async ({ fields, context }) => {
        const { status, body } = await place(await worldOf(context), fields);
        const { refusal } = previewOrder(fields as unknown as OrderFields, context);
        const answer = status === 200 ? undefined : body;
        expect(refusal?.toBody()).toEqual(answer);
        const code = refusal?.code ?? 0;
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }),
      { numRuns: 120, examples: USUAL.map((each): [Case] => [each]) },
    );
    for (const code of [0, -1013, -1106, -1112, -1130, -2010, -2022]) expect(seen.keys()).toContain(code);
  });
});
