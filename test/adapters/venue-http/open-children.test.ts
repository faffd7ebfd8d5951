import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import type { VenueClient } from "../../../src/adapters/venue-http/index.ts";
import { OpenChildren } from "../../../src/adapters/venue-http/remote-venue.ts";
import type { ChildReport, ChildRequest } from "../../../src/model/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { connect, listening, until } from "./loopback.ts";

const CAPABILITIES = { honoursDeadline: true, canVoid: true };
const MANIFEST = { protocol: 1, capabilities: CAPABILITIES, parts: [] };

type Fake = Readonly<{
  client: VenueClient;
  lookups: readonly string[];
  received: readonly string[];
  /** Ends the stream, and waits for the next one, which begins anew. */
  breaks: () => Promise<void>;
}>;

/** A client with a stream of reports, at a server whose answers about a child the test decides. */
async function openFake(
  answers: Readonly<Record<string, (childId: string) => unknown>>,
  capabilitiesOf: (stream: number) => unknown = () => CAPABILITIES,
): Promise<Fake> {
  let streams = 0;
  let last: ServerResponse | undefined;
  const [lookups, received]: [string[], string[]] = [[], []];
  const begin = (response: ServerResponse): void => {
    last = response;
    streams++;
    const hello = { type: "hello", stream: `s${streams}`, seq: 0, timeMs: 1, beatMs: 5_000 };
    response.write(`${JSON.stringify({ ...hello, capabilities: capabilitiesOf(streams) })}\n`);
  };
  const answer = async (request: IncomingMessage): Promise<string> => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { child } = JSON.parse(Buffer.concat(parts).toString()) as { child: { childId: string } };
    const { url = "" } = request;
    if (url === "/v1/children/lookup") lookups.push(child.childId);
    return JSON.stringify(answers[url]?.(child.childId));
  };
  const server = createServer((request, response) => {
    if (request.url === "/v1/venue") response.end(JSON.stringify(MANIFEST));
    else if (request.url?.startsWith("/v1/events") === true) begin(response);
    else void answer(request).then((text) => response.end(text));
  });
  await listening(server, 0);
  const client = await connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  client.venue.subscribe(({ report: { childId, state } }) => received.push(`${childId} ${state}`));
  await until(() => client.status().streams.every(({ isLive }) => isLive), "the stream");
  const breaks = async (): Promise<void> => {
    const before = streams;
    last?.destroy();
    await until(() => streams > before, "the next stream");
  };
  return { client, lookups, received, breaks };
}

const reportOf = (state: string) => (childId: string) => ({ report: { childId, state, fills: [] } });
const child = (childId: string): ChildRequest => ({ ...childOf({ quantity: "1" }), childId });
const submit = ({ client }: Fake, one: ChildRequest): Promise<unknown> =>
  client.venue.submit(one, { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal });

describe("after a stream has begun anew, each child that is open is looked up", () => {
  it("also if the first line has capabilities that cannot be read", async () => {
    const fake = await openFake(
      { "/v1/children": reportOf("open"), "/v1/children/lookup": reportOf("closed") },
      (stream) => (stream === 1 ? CAPABILITIES : { ratePerSecond: null }),
    );
    await submit(fake, child("aqc-1"));
    await fake.breaks();
    await until(() => fake.client.status().streams.every(({ isLive }) => isLive), "the first line");
    await until(() => fake.client.status().lookups === 0, "the look-ups");
    expect([fake.lookups, fake.received]).toEqual([["aqc-1"], ["aqc-1 closed"]]);
    expect(fake.client.venue.capabilities).toEqual(CAPABILITIES);
  });

  it("and no child that was voided, which can never execute", async () => {
    const fake = await openFake({
      "/v1/children": reportOf("open"),
      "/v1/children/void": () => ({ voided: true }),
      "/v1/children/lookup": reportOf("closed"),
    });
    for (const childId of ["aqc-1", "aqc-2"]) {
      await submit(fake, child(childId));
      expect(await fake.client.venue.voidChild?.(child(childId))).toBe("voided");
    }
    await submit(fake, child("aqc-3"));
    await fake.breaks();
    await until(() => fake.received.length > 0 && fake.client.status().lookups === 0, "the look-ups");
    expect(fake.lookups).toEqual(["aqc-3"]);
  });
});

describe("the children that a venue client knows to be open", () => {
  it("an answer that is older than the void does not open a child again", async () => {
    const looked: string[] = [];
    const open = new OpenChildren({
      clock: createManualClock({ startMs: 0 }),
      async lookup({ childId }) {
        looked.push(childId);
        return "not-found";
      },
      report: () => undefined,
    });
    const one = child("aqc-1");
    let answer: (report: ChildReport) => void = () => undefined;
    const submitted = open.during(
      one,
      new Promise<ChildReport>((resolve) => {
        answer = resolve;
      }),
    );
    await open.during(one, Promise.resolve("voided" as const));
    answer({ childId: "aqc-1", state: "open", fills: [] });
    await submitted;
    open.missed();
    expect(looked).toEqual([]);
  });
});
