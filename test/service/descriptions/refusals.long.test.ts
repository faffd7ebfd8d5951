import { expect, it } from "vitest";
import { type AnyRoute, COMPAT_ROUTES, ROUTES, type RouteName } from "../../../src/requests/index.ts";
import { routeSchema } from "../../../src/requests/schemas/index.ts";
import { errorsOfRoute } from "../../../src/service/descriptions/errors.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { SUBJECTS } from "../../requests/schemas/json-schema-bases.ts";
import { DescribedService } from "../../support/described.ts";
import { openNativeWorld } from "../../support/native-world.ts";
import { call, KEYS } from "../../support/service-world.ts";

const described = new DescribedService();

/** Values that are invalid for most parameters. */
const BAD = ["", "x", "-1", "0", "9".repeat(19), "9".repeat(20), "0.123456789", "GTX", "/", "a".repeat(65)];

const FRESH = {
  timestamp: ["", "x", "1", "9".repeat(15)],
  recvWindow: ["", "x", "0", "60001", "1.2345"],
  nonce: ["", "/"],
};

/** Requests of a route with one fault, or none. */
function requestsOf(route: AnyRoute): readonly RequestParameters[] {
  const bases = Object.values(SUBJECTS[route.name as RouteName]?.bases ?? { plain: {} }).slice(
    0,
    8,
  ) as readonly RequestParameters[];
  const names = [...Object.keys(routeSchema(route).properties), "stranger"];
  return bases.flatMap((base) => [
    base,
    ...Object.keys(base).map((left) =>
      Object.fromEntries(Object.entries(base).filter(([field]) => field !== left)),
    ),
    ...names.flatMap((field) => BAD.map((value) => ({ ...base, [field]: value }))),
    ...Object.entries(FRESH).flatMap(([field, values]) =>
      values.map((value) => ({ ...base, [field]: value })),
    ),
  ]);
}

/** Placements of the compat prefix have the refusals of the service's own. */
const IN_COMPAT = COMPAT_ROUTES.filter(({ name }) => !/^order(List)?\.place/.test(name));

it.each([...ROUTES, ...IN_COMPAT].map((route) => [`${route.method} ${route.path}`, route] as const))(
  "every refusal of %s has a described error",
  async (_title, route) => {
    const world = described.watch(await openNativeWorld({ service: { replayGuard: false } }));
    world.feed.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
    const known = new Set<string>(errorsOfRoute(route));
    const { method, path, scheme } = route;
    for (const fields of requestsOf(route)) {
      const key = scheme === "NONE" ? {} : { key: KEYS.owner };
      const freshness = scheme === "V2_QUERY" ? { timestamp: world.clock.nowMs() } : { nonce: world.nonce() };
      const query = scheme === "NONE" ? fields : { ...freshness, ...fields };
      await call(world, method, path, { ...key, query });
      const [, event, reported] = JSON.parse(world.reported.at(-1) ?? "[]") as [
        string,
        string,
        { reason: string },
      ];
      if (event === "request.refused") expect(known, JSON.stringify(fields)).toContain(reported.reason);
    }
    for (const key of [KEYS.nobody, KEYS.reader, KEYS.trader]) await call(world, method, path, { key });
    for (const body of ["{", '{"a":[1]}', "a=b", '{"symbol":null}']) {
      const headers = ["Content-Type", "application/json"];
      await call(world, method, path, { key: KEYS.owner, body, headers });
    }
    expect(described.findings).toEqual([]);
  },
);
