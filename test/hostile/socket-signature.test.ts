import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { percentEncode, readFlatText } from "../../src/wire/index.ts";
import { messageOf, paramsOf, payloadOf, type SocketAttack } from "../support/hostile-socket.ts";
import {
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  listBody,
  openHostileWorld,
  refusal,
  signatureOf,
} from "../support/hostile-world.ts";
import { KEYS, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const text = JSON.stringify;
const BAD_SIGNATURE = refusal(-1022);
const MISSING = refusal(-1102);
const BAD_KEY_FORMAT = { status: 401, code: -2014 };
const REJECTED_KEY = { status: 401, code: -2015 };

const LOOK = `{"symbol":"BTC/USD","origClientOrderId":"${BASE_ID}"}`;
const RIGHT: readonly (readonly [what: string, right: SocketAttack])[] = [
  ["a look-up", { method: "order.status", json: LOOK }],
  ["a placement", { method: "order.place", json: BASE_ORDER }],
  ["a page", { method: "openOrders.status", json: '{"apiManaged":true}' }],
  ["a subscription", { method: "userDataStream.subscribe.signature" }],
];

/** Returns the digits of the signature in a correctly signed message. */
const digitsOf = (right: SocketAttack): string =>
  /"signature":"([0-9a-f]{64})"/.exec(paramsOf(right))?.[1] ?? "";

describe.each(RIGHT)("%s", (_what, right) => {
  const fixed = { ...right, timestamp: String(START_MS - 4_950) };
  const digits = digitsOf(fixed);
  const withSignature = (signature: string | undefined): SocketAttack => ({
    ...fixed,
    signature: signature === undefined ? undefined : text(signature),
  });

  it("a valid signature is accepted", () => world.acceptsMessage(right));

  it("hostile 1, 2: refuses a missing and an empty signature", async () => {
    await world.refusesMessage(withSignature(undefined), MISSING);
    await world.refusesMessage(withSignature(""), MISSING);
  });

  it.each([
    ["3: 63 digits", digits.slice(1)],
    ["3: 65 digits", `${digits}0`],
    ["4: not hex", "z".repeat(64)],
    ["6: base64 of the right digest", Buffer.from(digits, "hex").toString("base64url")],
    ["7: the right digest and a space", `${digits} `],
  ])("hostile %s is refused", (_input, wrong) => world.refusesMessage(withSignature(wrong), BAD_SIGNATURE));

  it("hostile 7: refuses the right digest and a line feed", () =>
    world.refusesMessage({ ...fixed, signature: `"${digits}\\n"` }, refusal(-1100)));

  it("hostile 5: upper-case hex is the same signature", () =>
    world.acceptsMessage(withSignature(digits.toUpperCase())));

  it("hostile 8, 11: refuses the signature twice, equal or different", async () => {
    for (const second of [digits, "0".repeat(64)]) {
      const params = paramsOf(fixed).replace("{", `{"signature":"${second}",`);
      await world.refusesMessage(`{"id":1,"method":"${right.method}","params":${params}}`, refusal(-1101));
    }
  });

  it.each(["Signature", "SIGNATURE", "signature_"])("hostile 13: refuses the spelling %s", (name) =>
    world.refusesMessage(messageOf(fixed).replace('"signature"', `"${name}"`), MISSING),
  );

  it("hostile 13: a spelling with an escape is the same name (accept)", () =>
    world.acceptsMessage(messageOf(fixed).replace('"signature"', '"\\u0073ignature"')));

  it("hostile 14: a signature over the percent-encoded values is also accepted", () => {
    const parameters = readFlatText(
      paramsOf({ ...right, timestamp: String(START_MS), signature: undefined }),
    );
    const names = [...parameters.keys()].sort();
    const payload = names
      .map((name) => `${name}=${percentEncode(parameters.get(name)?.text ?? "")}`)
      .join("&");
    return world.acceptsMessage({ ...right, timestamp: String(START_MS), payload });
  });

  it("hostile 15: refuses a signature over the parameters in reverse order, or without separators", async () => {
    const sorted = payloadOf(paramsOf({ ...fixed, signature: undefined }));
    const reverse = sorted.split("&").reverse().join("&");
    await world.refusesMessage({ ...fixed, payload: reverse }, BAD_SIGNATURE);
    await world.refusesMessage({ ...fixed, payload: sorted.replaceAll("&", "") }, BAD_SIGNATURE);
  });

  it("hostile 16: refuses a signature over the params as JSON", () =>
    world.refusesMessage({ ...fixed, payload: paramsOf({ ...fixed, signature: undefined }) }, BAD_SIGNATURE));

  it("hostile 23: refuses another account's secret", () => {
    const key = { apiKey: KEYS.owner.apiKey, secret: KEYS.stranger.secret };
    return world.refusesMessage({ ...right, key }, BAD_SIGNATURE);
  });

  it("hostile 24: refuses the right secret under another's key", () => {
    const key = { apiKey: KEYS.stranger.apiKey, secret: KEYS.owner.secret };
    return world.refusesMessage({ ...right, key }, BAD_SIGNATURE);
  });

  it("hostile 25: refuses an unknown key", () =>
    world.refusesMessage({ ...right, key: KEYS.nobody }, REJECTED_KEY));

  it("hostile 26: refuses the key twice", () => {
    const twice = messageOf(right).replace('"apiKey"', '"apiKey":"a","apiKey"');
    return world.refusesMessage(twice, refusal(-1101));
  });

  it.each([
    ["10 kB", text("k".repeat(10_240)), BAD_KEY_FORMAT],
    ["a space", '"two keys"', BAD_KEY_FORMAT],
    ["nothing", '""', BAD_KEY_FORMAT],
    ["a Latin-1 letter", '"key-\\u00e9"', refusal(-1100)],
    ["no text at all", "true", REJECTED_KEY],
  ])("hostile 27: refuses a key of %s", (_what, apiKey, expected) =>
    world.refusesMessage({ ...right, apiKey }, expected),
  );

  it("hostile 95: refuses a missing apiKey, and another than the signed one", async () => {
    await world.refusesMessage({ ...right, apiKey: undefined }, BAD_KEY_FORMAT);
    const other = messageOf(right).replace(text(KEYS.owner.apiKey), text(KEYS.reader.apiKey));
    await world.refusesMessage(other, BAD_SIGNATURE);
  });

  it("hostile 28: refuses a key of another address, one without the permission, and one without any", async () => {
    await world.refusesMessage({ ...right, key: KEYS.elsewhere }, REJECTED_KEY);
    const key = right.method === "order.place" ? KEYS.reader : KEYS.trader;
    await world.refusesMessage({ ...right, key }, REJECTED_KEY);
  });

  it("hostile 28: refuses a revoked key", async () => {
    const key = { apiKey: "revoked-key", secret: KEYS.owner.secret };
    const account = { accountId: 4, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const permissions = ["READ", "TRADE"] as const;
    world.accounts.put({
      account,
      keys: [{ ...key, userId: 1, accountId: 4, permissions, ipAllowlist: [] }],
    });
    world.accounts.put({ account, keys: [] });
    await world.refusesMessage({ ...right, key }, REJECTED_KEY);
  });

  it.each([
    ["missing", undefined, -1102],
    ["empty", '""', -1105],
    ["negative", `-${START_MS}`, -1100],
    ["in seconds", `${START_MS / 1_000}`, -1021],
    ["in microseconds", `${START_MS}000`, -1021],
    ["with an exponent", "1e12", -1100],
    ["with a fraction", `${START_MS}.5`, -1100],
    ["a boolean", "true", -1100],
  ])("hostile 29: refuses a timestamp that is %s", (_what, timestamp, code) =>
    world.refusesMessage({ ...right, timestamp }, refusal(code)),
  );

  it("hostile 29: refuses a timestamp twice", () =>
    world.refusesMessage(
      messageOf(right).replace('"timestamp"', '"timestamp":1,"timestamp"'),
      refusal(-1101),
    ));

  it("hostile 30: 999 ms ahead is accepted, 1000 ms is not", async () => {
    await world.acceptsMessage({ ...right, timestamp: String(START_MS + 999) });
    await world.refusesMessage({ ...right, timestamp: String(START_MS + 1_000) }, refusal(-1021));
  });

  const windowed = (recvWindow: string, timestamp = START_MS): SocketAttack => {
    const rest = (right.json ?? "{}").slice(1);
    const json = `{"recvWindow":${recvWindow}${rest === "}" ? "" : ","}${rest}`;
    return { ...right, json, timestamp: String(timestamp) };
  };

  it("hostile 31: an age of recvWindow is accepted, 1 ms more is not", async () => {
    await world.acceptsMessage({ ...right, timestamp: String(START_MS - 5_000) });
    await world.refusesMessage({ ...right, timestamp: String(START_MS - 5_001) }, refusal(-1021));
    await world.acceptsMessage(windowed("70", START_MS - 70));
    await world.refusesMessage(windowed("70", START_MS - 71), refusal(-1021));
  });

  it.each([
    ["0", -1131],
    ["60001", -1131],
    ['"60000.001"', -1131],
    ['"5000.1234"', -1111],
    ["5e3", -1100],
    ['"5e3"', -1100],
    ['"0x1388"', -1100],
    ["-1", -1131],
  ])("hostile 32: refuses a recvWindow of %s", (recvWindow, code) =>
    world.refusesMessage(windowed(recvWindow), refusal(code)),
  );

  it("hostile 32: 60000 is accepted; twice it is not", async () => {
    await world.acceptsMessage(windowed("60000", START_MS - 60_000));
    await world.refusesMessage(windowed('5000,"recvWindow":5000'), refusal(-1101));
  });
});

describe("the purpose of a signature", () => {
  it("hostile 20, 95: refuses params of a read with the method of a cancel on another connection a second later", async () => {
    const own = await openHostileWorld();
    const timestamp = String(START_MS);
    const look = { json: `{"symbol":"BTC/USD","orderId":${own.orderId}}`, timestamp };
    const page = { json: '{"apiManaged":true}', timestamp };
    await own.acceptsMessage({ method: "order.status", ...look });
    await own.acceptsMessage({ method: "openOrders.status", ...page });
    await own.clock.advanceBy(1001);
    await own.refusesMessage({ method: "order.cancel", ...look }, BAD_SIGNATURE);
    await own.refusesMessage({ method: "openOrders.cancelAll", ...page }, BAD_SIGNATURE);
    await own.acceptsMessage({ method: "openOrders.status", ...page });
    await own.close();
  });

  it("hostile 21: refuses params of an OCO with the method of an OTO, or of a single order", async () => {
    const oco = { json: listBody("oco"), timestamp: String(START_MS) };
    await world.acceptsMessage({ method: "orderList.place.oco", ...oco });
    await world.refusesMessage({ method: "orderList.place.oto", ...oco }, BAD_SIGNATURE);
    await world.refusesMessage({ method: "order.place", ...oco }, BAD_SIGNATURE);
  });

  it("hostile 22: the same message twice is one order", async () => {
    const json = BASE_ORDER.replace(`,"newClientOrderId":"${BASE_ID}"`, "");
    const message = messageOf({ method: "order.place", json });
    const first = await world.acceptsMessage(message);
    const before = await world.state();
    expect(await world.acceptsMessage(message)).toEqual(first);
    expect(await world.state()).toEqual(before);
  });

  it("hostile 95: refuses a value that contains &side=BUY, and a name that contains =", async () => {
    const cases = ['"listClientOrderId":"x&side=BUY"', '"a=b":"1"', '"price&side":"1"', '"price":"7%30"'];
    for (const member of cases) {
      const json = `${BASE_ORDER.slice(0, -1)},${member.replace('"price":', '"price2":')}}`;
      await world.refusesMessage({ method: "order.place", json }, refusal(-1100));
    }
  });

  it("hostile 95: refuses numbers as 1.0 and 1e3, and a boolean in quotes", async () => {
    const page = (json: string): SocketAttack => ({ method: "openOrders.status", json });
    await world.refusesMessage(page('{"apiManaged":true,"limit":1.0}'), refusal(-1100));
    await world.refusesMessage(page('{"apiManaged":true,"limit":1e3}'), refusal(-1100));
    await world.refusesMessage(page('{"apiManaged":"true"}'), refusal(-1130));
  });

  it("hostile 33: after 61 s a message is too old, whatever its recvWindow", async () => {
    const held = await openHostileWorld();
    const usual = messageOf({ method: "openOrders.status", json: '{"apiManaged":true}' });
    const widest = messageOf({ method: "openOrders.status", json: '{"apiManaged":true,"recvWindow":60000}' });
    await held.clock.advanceBy(61_000);
    await held.refusesMessage(usual, refusal(-1021));
    await held.refusesMessage(widest, refusal(-1021));
    await held.close();
  });

  it("refuses a signature of REST in a message", () => {
    const signature = signatureOf({ query: "", body: BASE_ORDER });
    expect(attack("POST", "/api/order", { body: BASE_ORDER }).headers).toContain(signature);
    return world.refusesMessage(
      { method: "order.place", json: BASE_ORDER, signature: text(signature) },
      BAD_SIGNATURE,
    );
  });
});
