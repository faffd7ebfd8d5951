import { describe, expect, it } from "vitest";
import { createPlace, foreignVenue } from "../../examples/foreign-venue/place.ts";
import {
  type TestFramework,
  testExecutionVenue,
  testMount,
  testNativeOrders,
  testQuoteSource,
  testRateLimiter,
  testRejections,
  testVolumeHistory,
} from "../../src/conformance/index.ts";
import { testOrderStore } from "../store/rules/index.ts";
import { recordTests } from "../support/recorded-tests.ts";
import { memorySubject } from "./order-store/faulty-place.ts";

type Ended = string[];
type Declare = (framework: TestFramework, ended: Ended) => void;

/** A part that only records its end. */
const part = (ended: Ended, name: string, members: object = {}): never =>
  ({
    close: () => void ended.push(`${name} closed`),
    remove: () => void ended.push(`${name} removed`),
    ...members,
  }) as never;

const run = (): undefined => undefined;
const idle = async (): Promise<void> => undefined;

/** Runs the first test of a suite, which must fail. Returns what it has ended. */
async function endedBy(declare: Declare): Promise<readonly string[]> {
  const ended: string[] = [];
  const [first] = recordTests((framework) => declare(framework, ended));
  await expect(first?.run()).rejects.toThrow(/is missing: pass|must be a whole number|the disk is gone/);
  return ended;
}

/** Suites whose adapter is opened, and then turns out to lack its functions. */
const lacking: Readonly<Record<string, Declare>> = {
  "order store": (framework, ended) =>
    testOrderStore(framework, {
      ...memorySubject("lacking"),
      createPlace: () => part(ended, "place", { open: () => part(ended, "handle") }),
    }),
  "execution venue": (framework, ended) =>
    testExecutionVenue(framework, {
      ...foreignVenue,
      createPlace: () => ({
        ...createPlace(),
        ...(part(ended, "place", { open: () => part(ended, "handle", { venue: {} }) }) as object),
      }),
    }),
  "native orders": (framework, ended) =>
    testNativeOrders(framework, {
      name: "lacking",
      supports: { cancelIf: false, open: false, byAmount: false, notionals: false, commissions: false },
      createPlace: () =>
        part(ended, "place", {
          ...{ quote: run, nowMs: () => 0, pass: run, idle },
          open: () => part(ended, "handle", { native: {} }),
        }),
    }),
  "quote source": (framework, ended) =>
    testQuoteSource(framework, {
      name: "lacking",
      supports: { times: false, sizes: false, prints: false, heartbeats: false, reconnects: false } as never,
      createPlace: () =>
        part(ended, "place", {
          ...{ quote: run, idle },
          open: () => part(ended, "handle", { marketData: {} }),
        }),
    }),
  rejections: (framework, ended) =>
    testRejections(framework, {
      name: "lacking",
      supports: { durable: true },
      createPlace: () => part(ended, "place", { open: () => part(ended, "handle", { rejections: {} }) }),
    }),
  "rate limiter": (framework, ended) =>
    testRateLimiter(framework, {
      name: "lacking",
      supports: { limits: true, connect: false, bans: false, durable: false, nodes: false },
      createPlace: () => part(ended, "place", { limiter: {} }),
    }),
  "volume history": (framework, ended) =>
    testVolumeHistory(framework, {
      name: "lacking",
      supports: { remote: false },
      createPlace: () => part(ended, "place", { volumeHistory: {} }),
    }),
  mount: (framework, ended) =>
    testMount(framework, {
      name: "lacking",
      supports: { sockets: false, ownRoutes: false, drains: false },
      open: () => part(ended, "handle", { port: 0 }),
    }),
};

describe("what a suite has opened ends with the test", () => {
  it.each(Object.keys(lacking))("%s: also if the adapter lacks a function", async (port) => {
    const due = ["handle closed", "place removed"].filter((step) => {
      if (port === "mount") return step === "handle closed";
      return port !== "rate limiter" && port !== "volume history" ? true : step === "place removed";
    });
    expect(await endedBy(lacking[port] as Declare)).toEqual(due);
  });

  it("order store: also if a handle cannot be owned or closed", async () => {
    const fails = async (): Promise<never> => {
      throw new Error("the disk is gone");
    };
    const { createPlace: create, ...subject } = memorySubject("fails");
    for (const fault of ["acquire", "close"]) {
      const ended = await endedBy((framework, steps) =>
        testOrderStore(framework, {
          ...subject,
          async createPlace() {
            const place = await create();
            const open = async () => ({ ...(await place.open()), [fault]: fails });
            return { open, remove: () => void steps.push("place removed") } as never;
          },
        }),
      );
      expect(ended).toContain("place removed");
    }
  });
});
