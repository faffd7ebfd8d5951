import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AttackOptions,
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  listBody,
  openHostileWorld,
  refusal,
  signatureOf,
} from "../support/hostile-world.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { KEYS, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const BAD_SIGNATURE = refusal(-1022);
const MISSING = refusal(-1102);
const BAD_KEY_FORMAT = { status: 401, code: -2014 };
const REJECTED_KEY = { status: 401, code: -2015 };

type Scheme = readonly [name: string, method: string, path: string, request: AttackOptions];

const V2: Scheme = [
  "version 2 query",
  "GET",
  "/api/v2/order",
  { query: `symbol=BTC%2FUSD&origClientOrderId=${BASE_ID}&timestamp=${START_MS}` },
];
const LEGACY: Scheme = ["order POST", "POST", "/api/order", { query: "nonce=1", body: BASE_ORDER }];
const V3: Scheme = ["version 3", "GET", "/api/v3/openOrders", { query: "apiManaged=true&nonce=1" }];

const SCHEMES = [V2, LEGACY, V3];

describe.each(SCHEMES)("%s", (_name, method, path, right) => {
  const request = (options: AttackOptions = {}): RawRequest => attack(method, path, { ...right, ...options });
  const signature = signatureOf(right);

  it("a valid signature is accepted", async () => {
    await world.accepts(request());
    await world.accepts(request({ place: "query" }));
  });

  it("hostile 1: refuses a missing signature", () => world.refuses(request({ place: "nowhere" }), MISSING));

  it.each(["header", "query"] as const)("hostile 2: refuses an empty signature, %s", (place) =>
    world.refuses(request({ place, signature: "" }), MISSING),
  );

  it.each([
    ["3: 63 digits", signature.slice(1)],
    ["3: 65 digits", `${signature}0`],
    ["4: not hex", "z".repeat(64)],
    ["6: base64 of the right digest", Buffer.from(signature, "hex").toString("base64url")],
  ])("hostile %s is refused", async (_input, wrong) => {
    await world.refuses(request({ signature: wrong }), BAD_SIGNATURE);
    await world.refuses(request({ place: "query", signature: wrong }), BAD_SIGNATURE);
  });

  it("hostile 5: upper-case hex is the same signature", async () => {
    await world.accepts(request({ signature: signature.toUpperCase() }));
    await world.accepts(request({ place: "query", signature: signature.toUpperCase() }));
  });

  it.each(["%20", "%0A", "+"])("hostile 7: refuses the right digest with %s after it", (tail) =>
    world.refuses(request({ place: "query", signature: signature + tail }), BAD_SIGNATURE),
  );

  it("hostile 8: refuses header and query that differ", () =>
    world.refuses(request({ place: "query", headers: ["signature", "0".repeat(64)] }), BAD_SIGNATURE));

  it("hostile 9: header and query that are equal are accepted", () =>
    world.accepts(request({ place: "query", headers: ["signature", signature] })));

  it("hostile 10: refuses two signature headers", () =>
    world.refuses(request({ headers: ["Signature", signature] }), BAD_SIGNATURE));

  it("hostile 11: refuses the signature twice in the query", async () => {
    const query = `${right.query}&signature=${signature}`;
    await world.refuses(request({ query, place: "query", signature }), BAD_SIGNATURE);
  });

  it("hostile 12: refuses a parameter after the signature", () =>
    world.refuses(
      request({ query: `${right.query}&signature=${signature}&limit=5`, place: "nowhere" }),
      BAD_SIGNATURE,
    ));

  it.each(["Signature", "%73ignature", "SIGNATURE", "signatur%65"])(
    "hostile 13: refuses the spelling %s",
    (name) =>
      world.refuses(
        request({ query: `${right.query}&${name}=${signature}`, place: "nowhere" }),
        BAD_SIGNATURE,
      ),
  );

  it("hostile 18: refuses a signature over the leading question mark", () =>
    world.refuses(request({ payload: `?${right.query}${right.body ?? ""}` }), BAD_SIGNATURE));

  it("hostile 23: refuses another account's secret", () =>
    world.refuses(request({ signature: signatureOf({ ...right, key: KEYS.stranger }) }), BAD_SIGNATURE));

  it("hostile 24: refuses the right secret under another's key", () =>
    world.refuses(request({ key: KEYS.stranger, signature }), BAD_SIGNATURE));

  it("hostile 25: refuses an unknown key", () => world.refuses(request({ key: KEYS.nobody }), REJECTED_KEY));

  it("hostile 26: refuses two api-key headers", () =>
    world.refuses(request({ headers: ["x-mbx-apikey", KEYS.owner.apiKey] }), BAD_KEY_FORMAT));

  it.each([
    ["a Latin-1 byte", `key-${String.fromCharCode(0xe9)}`],
    ["10 kB", "k".repeat(10_240)],
    ["a space", "two keys"],
    ["nothing", ""],
  ])("hostile 27: refuses a key of %s", (_what, apiKey) =>
    world.refuses(request({ key: { apiKey, secret: KEYS.owner.secret } }), BAD_KEY_FORMAT),
  );

  it("hostile 28: refuses a key of another address", () =>
    world.refuses(request({ key: KEYS.elsewhere }), REJECTED_KEY));

  it("hostile 28: refuses a revoked key", async () => {
    const key = { apiKey: "revoked-key", secret: KEYS.owner.secret };
    const account = { accountId: 4, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const permissions = ["READ", "TRADE"] as const;
    world.accounts.put({
      account,
      keys: [{ ...key, userId: 1, accountId: 4, permissions, ipAllowlist: [] }],
    });
    world.accounts.put({ account, keys: [] });
    await world.refuses(request({ key }), REJECTED_KEY);
  });

  it("hostile 28: refuses a key without the permission", () =>
    world.refuses(request({ key: method === "GET" ? KEYS.trader : KEYS.reader }), REJECTED_KEY));

  const timed = (parameters: string): RawRequest => {
    const query = `${(right.query ?? "").replace(/&?(timestamp|nonce)=[0-9]+/, "")}&${parameters}`.replace(
      /^&/,
      "",
    );
    return request({ query });
  };

  it.each([
    ["twice", `timestamp=${START_MS}&timestamp=${START_MS}`, -1101],
    ["empty", "timestamp=", -1105],
    ["negative", `timestamp=-${START_MS}`, -1100],
    ["in seconds", `timestamp=${START_MS / 1_000}`, -1021],
    ["in microseconds", `timestamp=${START_MS}000`, -1021],
    ["with an exponent", "timestamp=1e12", -1100],
    ["with a fraction", `timestamp=${START_MS}.5`, -1100],
  ])("hostile 29: refuses a timestamp that is %s", (_what, parameters, code) =>
    world.refuses(timed(parameters), refusal(code)),
  );

  it("hostile 30: 999 ms ahead is accepted, 1000 ms is not", async () => {
    await world.accepts(timed(`timestamp=${START_MS + 999}`));
    await world.refuses(timed(`timestamp=${START_MS + 1_000}`), refusal(-1021));
  });

  it("hostile 31: an age of recvWindow is accepted, 1 ms more is not", async () => {
    await world.accepts(timed(`timestamp=${START_MS - 5_000}`));
    await world.refuses(timed(`timestamp=${START_MS - 5_001}`), refusal(-1021));
    await world.accepts(timed(`timestamp=${START_MS - 70}&recvWindow=70`));
    await world.refuses(timed(`timestamp=${START_MS - 71}&recvWindow=70`), refusal(-1021));
  });

  it.each([
    ["0", -1131],
    ["-1", -1131],
    ["60000.001", -1131],
    ["5000.1234", -1111],
    ["5e3", -1100],
    ["0x1388", -1100],
    ["", -1105],
    ["5000&recvWindow=5000", -1101],
  ])("hostile 32: refuses recvWindow=%s", (recvWindow, code) =>
    world.refuses(timed(`timestamp=${START_MS}&recvWindow=${recvWindow}`), refusal(code)),
  );

  it("hostile 32: recvWindow=60000 is accepted", () =>
    world.accepts(timed(`timestamp=${START_MS - 60_000}&recvWindow=60000`)));
});

describe("the bytes that a signature covers", () => {
  const [, method, path, right] = V2;
  const query = right.query ?? "";
  const body = BASE_ORDER;

  it("hostile 14: refuses a signature over the decoded query", () =>
    world.refuses(attack(method, path, { query, payload: decodeURIComponent(query) }), BAD_SIGNATURE));

  it("hostile 15: refuses a signature over the sorted query", () => {
    const payload = query.split("&").sort().join("&");
    expect(payload).not.toBe(query);
    return world.refuses(attack(method, path, { query, payload }), BAD_SIGNATURE);
  });

  it("hostile 16: refuses a signature over rewritten JSON", () => {
    const spaced = body.replaceAll(",", ", ");
    return world.refuses(attack("POST", "/api/order", { body: spaced, payload: body }), BAD_SIGNATURE);
  });

  it("hostile 17: refuses a signature over the body and then the query", () =>
    world.refuses(
      attack("POST", "/api/order", { query: "nonce=1", body, payload: `${body}nonce=1` }),
      BAD_SIGNATURE,
    ));

  it("hostile 19: refuses a shifted boundary of query and body", async () => {
    const payload = `nonce=1${body}`;
    await world.refuses(attack("POST", "/api/order", { query: payload, payload }), refusal(-1100));
    const form = "application/x-www-form-urlencoded";
    const split = (left: string, rest: string): RawRequest =>
      attack("DELETE", "/api/v3/openOrders", { query: left, body: rest, contentType: form });
    await world.refuses(split("nonce=1", "&apiManaged=true"), refusal(-1100));
    await world.refuses(split("nonce=1&apiManaged=", "true"), refusal(-1100));
    await world.refuses(split("nonce=1&", "apiManaged=true"), refusal(-1100));
    await world.refuses(split("nonce=1&apiManaged=tr", "ue=1"), refusal(-1104));
  });

  it("hostile 20: refuses a signed GET sent again as DELETE a second later, also after one attempt", async () => {
    const own = await openHostileWorld();
    const query = `symbol=BTC/USD&orderId=${own.orderId}&timestamp=${START_MS}`;
    await own.accepts(attack("GET", "/api/v3/openOrders", { query: "apiManaged=true&nonce=hostile-20" }));
    await own.accepts(attack("GET", "/api/v2/order", { query }));
    await own.clock.advanceBy(1001);
    for (const [path, signed] of [
      ["/api/v3/openOrders", { query: "apiManaged=true&nonce=hostile-20" }],
      ["/api/v2/order", { query }],
      ["/api/order", { query }],
    ] as const) {
      await own.refuses(attack("DELETE", path, signed), BAD_SIGNATURE);
      await own.refuses(attack("DELETE", path, signed), BAD_SIGNATURE);
    }
    await own.accepts(attack("GET", "/api/v2/orderStatus", { query }));
    await own.close();
  });

  it("a status query and a cancel with the same parameters are accepted, any other use is not", async () => {
    const own = await openHostileWorld();
    const signed = { query: `symbol=BTC/USD&orderId=${own.orderId}&timestamp=${START_MS}` };
    await own.accepts(attack("GET", "/api/v2/order", signed));
    await own.refuses(attack("POST", "/api/order", signed), BAD_SIGNATURE);
    expect(await own.accepts(attack("DELETE", "/api/v2/order", signed))).toMatchObject({
      status: "CANCELED",
    });
    await own.refuses(attack("DELETE", "/api/v3/openOrders", signed), BAD_SIGNATURE);
    await own.close();
  });

  it("two queries with the same parameters in one millisecond are answered, in either order", async () => {
    const lists = ["/api/v3/openOrderList", "/api/v3/allOrderList"];
    const requested = (path: string, timestamp: number): RawRequest =>
      attack("GET", path, { query: `limit=5&timestamp=${timestamp}` });
    for (const path of lists) await world.accepts(requested(path, START_MS - 1));
    for (const path of lists.toReversed()) await world.accepts(requested(path, START_MS - 2));
  });

  it("hostile 21: refuses a signed OCO body sent again to the legacy path, and the reverse", async () => {
    const list = { query: "nonce=hostile-21", body: listBody("oco") };
    await world.accepts(attack("POST", "/api/v3/orderList/oco", list));
    await world.refuses(attack("POST", "/api/v3/order/oco", list), BAD_SIGNATURE);
    const legacy = { query: "nonce=hostile-21", body: listBody("legacyOco") };
    await world.accepts(attack("POST", "/api/v3/order/oco", legacy));
    await world.refuses(attack("POST", "/api/v3/orderList/oco", legacy), BAD_SIGNATURE);
    await world.accepts(attack("POST", "/api/v3/order/oco", legacy));
  });

  it("hostile 21: a list's body that was not used before is refused for its unknown field names", async () => {
    for (const path of ["/api/v3/order/oco", "/api/v3/orderList/oto", "/api/order"]) {
      const oco = { query: "nonce=1", body: listBody("oco") };
      await world.refuses(attack("POST", path, oco), refusal(-1104));
    }
  });

  it("hostile 20: refuses a signed list query sent again as its cancel a second later", async () => {
    const own = await openHostileWorld();
    const placed = await own.accepts(
      attack("POST", "/api/v3/orderList/oco", { query: "nonce=1", body: listBody("oco") }),
    );
    const signed: AttackOptions = { query: `orderListId=${placed.orderListId}&nonce=hostile-20` };
    await own.accepts(attack("GET", "/api/v3/orderList", signed));
    await own.clock.advanceBy(1001);
    await own.refuses(attack("DELETE", "/api/v3/orderList", signed), BAD_SIGNATURE);
    await own.accepts(attack("GET", "/api/v3/orderList", signed));
    await own.close();
  });

  it("hostile 22: the same signed request twice is one order", async () => {
    const signed = {
      query: "nonce=hostile-22",
      body: body.replace(`,"newClientOrderId":"${BASE_ID}"`, ""),
    };
    const first = await world.accepts(attack("POST", "/api/order", signed));
    const { records } = world.engine.metrics();
    expect(await world.accepts(attack("POST", "/api/order", signed))).toEqual(first);
    expect(world.engine.metrics().records).toBe(records);
  });

  it("refuses a JSON body that contains the signature", () => {
    const carrying = body.replace("{", '{"signature":"a",');
    return world.refuses(attack("POST", "/api/order", { body: carrying }), BAD_SIGNATURE);
  });
});

describe("a request that was held back", () => {
  it("hostile 33: after 61 s a timestamp is too old; a nonce never expires, a limitation of the contract", async () => {
    const held = await openHostileWorld();
    const stamped = attack("GET", "/api/v3/openOrders", { query: `apiManaged=true&timestamp=${START_MS}` });
    const widest = attack("GET", "/api/v3/openOrders", {
      query: `apiManaged=true&timestamp=${START_MS}&recvWindow=60000`,
    });
    const nonced = attack("GET", "/api/v3/openOrders", { query: "apiManaged=true&nonce=1" });
    await held.clock.advanceBy(61_000);
    await held.refuses(stamped, refusal(-1021));
    await held.refuses(widest, refusal(-1021));
    await held.accepts(nonced);
    await held.close();
  });

  it("hostile 29: refuses a version 2 query without a timestamp", () =>
    world.refuses(
      attack("GET", "/api/v2/order", { query: `symbol=BTC/USD&origClientOrderId=${BASE_ID}` }),
      MISSING,
    ));

  it("refuses version 3 without nonce and timestamp", () =>
    world.refuses(attack("GET", "/api/v3/openOrders", { query: "apiManaged=true" }), MISSING));
});
