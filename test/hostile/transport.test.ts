import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Attack,
  attack,
  type HostileWorld,
  openHostileWorld,
  refusal,
} from "../support/hostile-world.ts";
import { openConnection, rawBytes } from "../support/raw-http.ts";
import { FAR_LIMIT } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld({}, { headTimeoutMs: 150, requestTimeoutMs: 200 });
});

afterAll(() => world.close());

let orders = 0;
/** A valid placement that adds one order. */
const placement = (options: Parameters<typeof attack>[2] = {}): Attack => {
  const body = JSON.stringify({ ...FAR_LIMIT, newClientOrderId: `transport-${++orders}` });
  return attack("POST", "/api/order", { query: "nonce=1", body, ...options });
};

/** Writes a text on a separate connection; it must be refused, end the connection and change nothing. */
async function refusesText(
  text: string,
  expected: Readonly<{ status: number; code: number }>,
): Promise<void> {
  const before = await world.state();
  const connection = await openConnection(world.port);
  connection.write(text);
  const answer = await connection.answer();
  await connection.ended;
  const body = JSON.parse(answer.body);
  expect({ status: answer.status, code: body.code }).toEqual(expected);
  expect(Object.keys(body)).toEqual(["code", "msg", "error"]);
  expect(await world.state()).toEqual(before);
  expect((await world.send({ method: "GET", target: "/api/ping" })).status).toBe(200);
}

/** The text of a request with its headers replaced. */
const textOf = (request: Attack, change: (text: string) => string): string =>
  change(Buffer.from(rawBytes(request)).toString("latin1"));

describe("declarations about a body", () => {
  it("hostile 48: refuses a body without a Content-Type, JSON or form", async () => {
    await world.refuses(placement({ contentType: "" }), refusal(-1130));
    await world.refuses(placement({ body: "symbol=BTC%2FUSD&side=BUY", contentType: "" }), refusal(-1130));
  });

  it("hostile 49: refuses a body declared as compressed, whether it is or not", async () => {
    for (const encoding of ["gzip", "deflate", "br", "GZIP", "gzip, identity", "x"]) {
      const headers = ["Content-Encoding", encoding];
      await world.refuses(placement({ headers }), refusal(-1130));
    }
    const packed = gzipSync(JSON.stringify(FAR_LIMIT));
    const headers = ["Content-Encoding", "gzip"];
    await world.refuses(placement({ body: packed, headers }), refusal(-1130));
    await world.accepts(placement({ headers: ["Content-Encoding", "identity"] }));
  });
});

describe("delivery of a request", () => {
  it("hostile 50: refuses an unknown expectation, a length with chunks, and two lengths", async () => {
    const request = placement();
    await world.refuses(
      { ...request, headers: [...(request.headers ?? []), "Expect", "200-ok"] },
      {
        status: 417,
        code: -1130,
      },
    );
    const more = (line: string) => (text: string) => text.replace("\r\n\r\n", `\r\n${line}\r\n\r\n`);
    const ILLEGAL = { status: 400, code: -1100 };
    await refusesText(textOf(request, more("Transfer-Encoding: chunked")), ILLEGAL);
    await refusesText(textOf(request, more("Content-Length: 1")), ILLEGAL);
    await refusesText(
      textOf(request, (text) => text.replace(/Content-Length: /, "Content-Length: +")),
      ILLEGAL,
    );
  });

  it("hostile 54: refuses 10,000 parameters in one body", async () => {
    const body = Array.from({ length: 10_000 }, () => "a=").join("&");
    await world.refuses(
      attack("POST", "/api/order", { body, contentType: "application/x-www-form-urlencoded" }),
      refusal(-1101),
    );
  });
});
