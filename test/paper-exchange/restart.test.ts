import { once } from "node:events";
import { readFileSync } from "node:fs";
import { appendFile, chmod, link, open, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { nativeOf } from "../../src/conformance/native-orders/world.ts";
import { openPaperVenue, VenueRecordError } from "../../src/paper-exchange/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import {
  childOf,
  DEADLINE_MS,
  faulty,
  openFundedWorld,
  openVenueWorld,
  quoteOf,
  START_MS,
  temporaryDirectory,
} from "../sandbox/venue-world.ts";

const deadlineMs = DEADLINE_MS;
const recordPath = async (): Promise<string> => join(await temporaryDirectory(), "deep", "venue.jsonl");

describe("a restart from the file", () => {
  it("restores children, counts and balances exactly", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    venue.quote(quoteOf({ bids: ["100"], asks: ["9999999999.99999999x0.000001", "101x2"] }));
    const child = childOf({ quantity: "1.5", limitPrice: "9999999999.99999999" });
    const report = await venue.submit(child, { deadlineMs });
    await venue.submit(child, { deadlineMs });
    const market = childOf({ side: "SELL", timeInForce: "FOK" });
    await venue.submit(market, { deadlineMs });
    const before = [venue.children(), venue.balances(1)];
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    expect([restarted.children(), restarted.balances(1)]).toEqual(before);
    expect(await restarted.lookup(child)).toEqual(report);
    expect(restarted.hasAccount(1)).toBe(true);
    await restarted.close();
  });

  it("everything answered is in the file, without a close", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const children = Array.from({ length: 20 }, () => childOf({ quantity: "0.01" }));
    await Promise.all(children.map((child) => venue.submit(child, { deadlineMs })));
    const { venue: other } = await openVenueWorld({ path });
    expect(other.children()).toEqual(venue.children());
    expect(other.children().every((row) => row.executedQty === "0.01")).toBe(true);
    await Promise.all([venue.close(), other.close()]);
  });

  it("a look-up and a copy of a submit, made while the child is decided, answer only what is in the file", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    for (const again of ["lookup", "submit"] as const) {
      const child = childOf();
      const first = venue.submit(child, { deadlineMs });
      while (!venue.children().some(({ clientOrderId }) => clientOrderId === child.childId)) await undefined;
      const answer = await venue[again](child, { deadlineMs });
      const isRetained = readFileSync(path, "utf8").includes(`"resolved","childId":"${child.childId}"`);
      expect(answer).toMatchObject({ state: isRetained ? "closed" : "open" });
      await first;
    }
    await venue.close();
  });

  it("a cancel that finds an order filled answers only when that is in the file", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const { order } = await venue.native.place(nativeOf({ price: "90" }));
    venue.quote(quoteOf({ bids: ["89"], asks: ["90"] }));
    const { symbol } = order;
    expect(await venue.native.cancel({ accountId: 1, symbol, orderId: order.orderId })).toBeUndefined();
    expect(readFileSync(path, "utf8")).toContain('"filled"');
    await venue.close();
  });

  it("an id that arrived before the restart is counted and not executed again", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    restarted.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    await restarted.submit(child, { deadlineMs });
    expect(restarted.children()).toMatchObject([{ submissions: 2, executedQty: "1" }]);
    expect(restarted.balances(1).BTC).toBe("11");
    await restarted.close();
  });

  it("execution ids continue and never repeat", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const first = await venue.submit(childOf(), { deadlineMs });
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    restarted.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    const second = await restarted.submit(childOf(), { deadlineMs });
    expect(first.fills[0]?.executionId).not.toBe(second.fills[0]?.executionId);
    await restarted.close();
  });

  it("the ids of executions are numbers that count up, also in a record of a version whose ids were texts", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const first = await venue.submit(childOf(), { deadlineMs });
    await venue.close();
    await writeFile(
      path,
      (await readFile(path, "utf8")).replace('"executionId":"1"', '"executionId":"pv-1"'),
    );
    const { venue: restarted } = await openVenueWorld({ path });
    restarted.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
    const second = await restarted.submit(childOf(), { deadlineMs });
    const stored = await restarted.native.executions({ accountId: 1, limit: 10 });
    const ids = stored.flatMap(({ execType, executionId }) => (execType === "TRADE" ? [executionId] : []));
    expect([first.fills[0]?.executionId, second.fills[0]?.executionId, ids]).toEqual([
      "1",
      "2",
      ["pv-1", "2"],
    ]);
    await restarted.close();
  });

  it("orders keep their ids; new orders get odd ids above them", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    for (let count = 0; count < 3; count++) await venue.submit(childOf(), { deadlineMs });
    await venue.native.place(nativeOf({ price: "1" }));
    await venue.close();
    const { venue: restarted } = await openVenueWorld({ path });
    await restarted.native.place(nativeOf({ price: "1", clientOrderId: "new", requestKey: "new" }));
    const ids = async (): Promise<readonly number[]> => {
      const page = await restarted.native.page({ accountId: 1, symbol: "BTC/USD", limit: 9 });
      return page.map(({ orderId }) => Number(orderId - 9_007_199_254_740_993n));
    };
    expect(await ids()).toEqual([0, 10, 20, 30, 40]);
    await restarted.close();
  });

  it("a held child stays held and can be released later", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    faulty(venue, { mode: "hold" });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    await venue.close();
    const { venue: restarted, events } = await openVenueWorld({ path });
    expect(await restarted.lookup(child)).toMatchObject({ state: "open" });
    expect(await restarted.release()).toBe(1);
    expect(events).toMatchObject([{ report: { state: "closed", fills: [{}] } }]);
    expect(restarted.balances(1).BTC).toBe("11");
    await restarted.close();
  });

  it("a child that arrived without a decision is closed without a fill", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    const child = childOf();
    await venue.submit(child, { deadlineMs });
    await venue.close();
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    await writeFile(path, `${lines.slice(0, -1).join("\n")}\n`);
    const { venue: restarted } = await openVenueWorld({ path });
    expect(await restarted.lookup(child)).toMatchObject({ state: "closed", fills: [] });
    expect(restarted.children()).toMatchObject([{ submissions: 1, executedQty: "0" }]);
    expect(restarted.balances(1).BTC).toBe("10");
    await restarted.close();
  });
});

describe("a damaged file", () => {
  it("an incomplete last line was never answered: it is cut off, and the record continues there", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.submit(childOf(), { deadlineMs });
    await venue.close();
    const whole = await readFile(path, "utf8");
    await appendFile(path, '{"kind":"released","childId":"aqc-');
    const { venue: restarted } = await openVenueWorld({ path });
    expect(await readFile(path, "utf8")).toBe(whole);
    await restarted.setBalances(2, { USD: "1" });
    await restarted.close();
    const { venue: again } = await openVenueWorld({ path });
    expect([again.balances(2), again.children()]).toMatchObject([{ USD: "1" }, [{ executedQty: "1" }]]);
    await again.close();
  });

  it.each([
    ["no JSON", "nonsense"],
    ["an unknown entry", '{"kind":"gift","accountId":1}'],
    ["a child that never arrived", '{"kind":"released","childId":"aqc-x","timeMs":1}'],
    ["an invalid amount", '{"kind":"balances","accountId":1,"balances":{"USD":"x"},"timeMs":1}'],
  ])("%s in a complete line stops the start and names the line", async (_what, line) => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.close();
    await appendFile(path, `${line}\n`);
    await expect(openVenueWorld({ path })).rejects.toThrow(VenueRecordError);
    await expect(openVenueWorld({ path })).rejects.toThrow("line 2");
  });

  it.each([
    ["of one line without a line break", '{"port":8080}'],
    ["of lines, the last without a line break", "first\nsecond"],
  ])("a file of another program, %s, is refused and left as it is", async (_what, text) => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    for (const file of [path, `${path}.new`]) {
      await writeFile(file, text);
      await chmod(file, 0o664);
    }
    await expect(openVenueWorld({ path })).rejects.toThrow(
      new VenueRecordError("the venue's record cannot be read at line 1"),
    );
    for (const file of [path, `${path}.new`])
      expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual([text, 0o664]);
  });

  it("a first line that was cut off while it was written, at any place, leaves an empty record", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.close();
    const [line = ""] = (await readFile(path, "utf8")).split("\n");
    for (const length of [1, 5, 9, 20, line.length]) {
      await writeFile(path, line.slice(0, length));
      const { venue: restarted } = await openVenueWorld({ path });
      expect([restarted.hasAccount(1), await readFile(path, "utf8")]).toEqual([false, ""]);
      await restarted.close();
    }
    // After a loss of power, the file may have got its length before its contents.
    await writeFile(path, "\0".repeat(20));
    await (await openVenueWorld({ path })).venue.close();
  });

  it("a write that failed is never answered as done", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.close();
    await expect(venue.submit(childOf(), { deadlineMs })).rejects.toThrow();
    await expect(venue.lookup(childOf())).rejects.toThrow();
  });

  it("I71: a record that can no longer be written is reported to the operator once, also without a waiting caller", async () => {
    const path = await recordPath();
    const reported: string[] = [];
    const telemetry = { event: (...event: readonly unknown[]) => void reported.push(JSON.stringify(event)) };
    const clock = createManualClock({ startMs: START_MS });
    const venue = await openPaperVenue({ clock, instruments: createCatalogue(), path, telemetry });
    await venue.setBalances(1, { USD: "1000" });
    await venue.native.place(nativeOf({ price: "100" }));
    await venue.close();
    for (let quote = 0; quote < 2; quote++) {
      venue.quote(quoteOf({ bids: ["99"], asks: ["100x0.1"] }));
      await venue.idle();
    }
    await expect(venue.native.page({ accountId: 1, symbol: "BTC/USD", limit: 1 })).rejects.toThrow();
    expect(reported).toEqual(['["error","venue-record.failed",{"code":"EBADF"}]']);
  });

  it("a record that is a device, pipe or socket is refused", async () => {
    const path = join(await temporaryDirectory(), "venue.jsonl");
    const server = createServer().listen(path);
    await once(server, "listening");
    await expect(openVenueWorld({ path })).rejects.toMatchObject({
      message: "venue.jsonl is no file but a device, pipe or socket: choose another path",
      code: "STORE_FILE",
    });
    server.close();
  });

  it("I81: a file with a second hard link is refused, by either name, until it has one name", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.submit(childOf(), { deadlineMs });
    await venue.close();
    const second = `${path}.second`;
    await link(path, second);
    for (const name of [path, second]) {
      await expect(openVenueWorld({ path: name })).rejects.toMatchObject({
        message: `${basename(name)} has more than one hard link: remove all of its names except one`,
        code: "STORE_FILE",
      });
    }
    await unlink(second);
    const { venue: restarted } = await openVenueWorld({ path });
    expect(restarted.children()).toHaveLength(1);
    await restarted.close();
  });

  it("I80: the file is private to its owner; one that others could read becomes private when it is opened", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.close();
    expect((await stat(path)).mode & 0o077).toBe(0);
    await chmod(path, 0o644);
    const { venue: again } = await openVenueWorld({ path });
    await again.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("a file whose permissions cannot be changed, as one of another user, is refused by name", async () => {
    const path = await recordPath();
    const { venue } = await openFundedWorld({ path });
    await venue.close();
    await chmod(path, 0o664);
    const file = await open(path);
    const refused = Object.assign(new Error("EPERM: operation not permitted, fchmod"), { code: "EPERM" });
    const spy = vi.spyOn(Object.getPrototypeOf(file), "chmod").mockRejectedValue(refused);
    await file.close();
    await expect(openVenueWorld({ path })).rejects.toMatchObject({
      message: "venue.jsonl cannot be opened (EPERM)",
      code: "EPERM",
    });
    spy.mockRestore();
  });
});
