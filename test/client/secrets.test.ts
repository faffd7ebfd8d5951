import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { redactionOf } from "../../src/client/errors.ts";
import { type Client, createClient, UncertainOutcome } from "../../src/client/index.ts";
import { KEYS } from "../support/service-world.ts";
import { type ClientWorld, type Fault, openClientWorld, settled } from "./client-world.ts";
import { STOP } from "./placements.ts";

const { apiKey, secret } = KEYS.owner;

/** Everything that a log could write of a value. */
function printed(value: unknown): string {
  const texts = [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value)];
  texts.push(JSON.stringify(value) ?? "");
  for (let at = value; at instanceof Error; at = at.cause) {
    const own = Object.getOwnPropertyNames(at).map((name) => [
      name,
      (at as unknown as Record<string, unknown>)[name],
    ]);
    texts.push(at.message, at.stack ?? "", inspect(own, { depth: 20 }));
  }
  return texts.join("\n");
}

/** Fails with an error that holds the whole request, as some HTTP libraries do, and its secrets in the message. */
const leaky: Fault = async ({ url, request }) => {
  const config = { url: String(url), headers: request.headers, secret };
  const cause = Object.assign(new Error(`bad header ${request.headers["X-MBX-APIKEY"]}`), { config });
  throw Object.assign(
    new Error(`${url} failed with ${secret} and ${request.headers.signature}`, { cause }),
    config,
  );
};

/** Answers with everything that it was sent. */
const echo: Fault = async ({ url, request }) => {
  const { signature } = request.headers;
  const msg = `${url.search} ${request.headers["X-MBX-APIKEY"]} ${signature} ${secret}`;
  return new Response(JSON.stringify({ code: -1022, msg, error: `${msg} ${signature}`, field: secret }), {
    status: 400,
  });
};

const broken: Fault = async (_call, pass) => new Response(`<p>${apiKey} ${secret} ${(await pass()).status}`);

async function errorsOf(world: ClientWorld, client: Client): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const fault of [leaky, echo, broken]) {
    for (const path of ["/api/order", "/api/v2/order", "/api/time"]) {
      world.wire.strike(path, fault, 3);
      const calls: readonly (() => Promise<unknown>)[] = [
        () => client.placeOrder(STOP),
        () => client.order({ symbol: "BTC/USD", orderId: -256 }),
        () => client.time(),
      ];
      for (const call of calls)
        await settled(
          world,
          call().catch((error: unknown) => void errors.push(error)),
        );
      world.wire.forgive();
    }
  }
  return errors;
}

describe("secrets", () => {
  it("neither key, secret nor signature is printed with a client or with any of its errors", async () => {
    const world = await openClientWorld();
    const errors = await errorsOf(world, world.client);
    expect(new Set(errors.map((error) => (error as Error).name)).size).toBe(4);
    for (const value of [world.client, ...errors]) {
      const text = printed(value);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(apiKey);
      expect(text).not.toMatch(/[0-9a-f]{64}/);
    }
  });

  it("what reconcile returns with an unknown outcome does not print them either", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/order", leaky);
    const error: unknown = await world.client.placeOrder(STOP).catch((reason: unknown) => reason);
    world.wire.strike("/api/time", leaky, 100);
    if (!(error instanceof UncertainOutcome)) throw new Error("the outcome is certain");
    const outcome = await settled(world, error.reconcile({ withinMs: 2_000 }));
    expect(outcome.state).toBe("unknown");
    expect(printed(outcome)).not.toContain(secret);
  });
});

describe("the error of a wrong option", () => {
  it.each([
    ["a key with a line break", { baseUrl: "http://service.test", apiKey: `${apiKey}\n`, secret }],
    ["an address with credentials", { baseUrl: `https://user:${secret}@service.test` }],
  ])("shows no secret of %s", (_what, options) => {
    let text = "no error";
    try {
      createClient(options);
    } catch (error) {
      text = printed(error);
    }
    expect(text).toContain("must be");
    for (const hidden of [apiKey, secret]) expect(text).not.toContain(hidden);
  });
});

it.each([
  ["a secret of one letter", "e", "Send one of these.", "Send one of these."],
  ["a short secret as a word", "pass", "bad pass, bypass", "bad [redacted], bypass"],
  ["a short secret with signs", "$.*+", "at $.*+ now", "at [redacted] now"],
  ["a long secret within other text", "correcthorse", "xcorrecthorsex", "x[redacted]x"],
])("redaction: %s", (_, secret, text, shown) => {
  expect(redactionOf([secret])(text)).toBe(shown);
});
