import {
  type RejectionsSubject,
  type RejectionsSupport,
  testRejections,
} from "../../../src/conformance/index.ts";
import { rejectionsRules } from "../../../src/conformance/rejections.ts";
import { Price } from "../../../src/decimal/index.ts";
import type { Rejection } from "../../../src/model/index.ts";
import type { RejectionQuery, Rejections } from "../../../src/ports/index.ts";
import { createRejectionBuffer } from "../../../src/service/index.ts";
import { type PlantedFault, testPlantedFaults } from "../../support/planted-faults.ts";

/** A fault of a store of rejections, called once per handle with the sound store below it. */
type Plant = (sound: Rejections) => Partial<Rejections>;

/** Describes buffers that outlive their handles if `durable`. */
function bufferSubject(name: string, plant: Plant, { durable }: RejectionsSupport): RejectionsSubject {
  return {
    name,
    supports: { durable },
    createPlace() {
      const create = (): Rejections => createRejectionBuffer({ perAccount: 100 });
      const stored = create();
      return {
        open() {
          const sound = durable ? stored : create();
          const counts = sound.counts.retained;
          const rejections: Rejections = {
            retain: (rejection) => sound.retain({ ...rejection }),
            list: (query) => sound.list(query),
            get counts() {
              return { retained: sound.counts.retained - counts, lost: 0 };
            },
          };
          return {
            rejections: Object.defineProperties(
              rejections,
              Object.getOwnPropertyDescriptors(plant(rejections)),
            ),
            written: () => {},
            close: () => {},
          };
        },
        remove: () => {},
      };
    },
  };
}

const planted = (
  fault: string,
  breaks: readonly string[],
  plant: (sound: Rejections) => Partial<Rejections>,
): PlantedFault<RejectionsSubject> => ({
  fault,
  breaks,
  // Calls the methods of the sound store as they were before the fault replaced them.
  subject: bufferSubject(fault, (sound) => plant({ ...sound }), { durable: true }),
});

const withList =
  (
    change: (
      list: (query: RejectionQuery) => readonly Rejection[],
      query: RejectionQuery,
    ) => readonly Rejection[],
  ): Plant =>
  (sound) => {
    const list = (query: RejectionQuery) => sound.list(query) as readonly Rejection[];
    return { list: (query) => change(list, query) };
  };

const faults = [
  planted(
    "prices are read as decimal texts",
    ["a retained rejection is found at once and exactly"],
    withList((list, query) =>
      list(query).map((rejection) => ({
        ...rejection,
        ...(rejection.price && { price: Price.format(rejection.price) as unknown as Price }),
      })),
    ),
  ),
  planted(
    "absent members are null",
    ["a retained rejection is found at once and exactly"],
    withList((list, query) =>
      list(query).map((rejection) => ({ stopPrice: null as unknown as Price, ...rejection })),
    ),
  ),
  planted("accounts have 32 bits", ["accounts and times beyond 32 bits"], (sound) => ({
    retain: (rejection) => sound.retain({ ...rejection, accountId: rejection.accountId | 0 }),
  })),
  planted("retain is asynchronous", ["retain neither waits nor throws"], (sound) => ({
    retain: (async (rejection: Rejection) => sound.retain(rejection)) as (rejection: Rejection) => void,
  })),
  planted("nothing is counted", ["counts the stored rejections"], () => ({
    counts: { retained: 0, lost: 0 },
  })),
  planted("the oldest of all accounts are dropped", ["keeps 16 rejections of an account"], (sound) => {
    let others = 0;
    return {
      retain(rejection) {
        if (rejection.accountId !== 1) others += 1;
        sound.retain(rejection);
      },
      list: (query) => (others > 100 ? [] : sound.list(query)),
    };
  }),
  {
    fault: "rejections are kept in the handle and declared as durable",
    breaks: ["written rejections exist for the next handle"],
    subject: {
      ...bufferSubject("forgetful", () => ({}), { durable: false }),
      supports: { durable: true },
    },
  },
  {
    fault: "rejections are durable and declared as not",
    breaks: ["a store that is not durable begins empty"],
    subject: { ...bufferSubject("durable", () => ({}), { durable: true }), supports: { durable: false } },
  },
  planted(
    "newest first",
    ["lists the newest `limit`, oldest first"],
    withList((list, query) => [...list(query)].reverse()),
  ),
  planted(
    "the oldest `limit` are listed",
    ["lists the newest `limit`, oldest first"],
    withList((list, query) => list({ ...query, limit: 100 }).slice(0, query.limit)),
  ),
  planted(
    "a client id finds the rejections of every account",
    ["never lists a rejection of another account"],
    withList((list, query) =>
      query.clientOrderId === undefined
        ? list(query)
        : [...list({ ...query, accountId: 1 }), ...list({ ...query, accountId: 2 })],
    ),
  ),
  planted(
    "client ids are compared in lower case",
    ["is narrowed by symbol and client id"],
    withList((list, { clientOrderId, ...query }) =>
      list(query).filter(
        (one) =>
          clientOrderId === undefined || one.clientOrderId.toLowerCase() === clientOrderId.toLowerCase(),
      ),
    ),
  ),
  planted(
    "the end of a period is excluded",
    ["is narrowed by time, both ends included"],
    withList((list, { endTimeMs, ...query }) =>
      list({ ...query, ...(endTimeMs && { endTimeMs: endTimeMs - 1 }) }),
    ),
  ),
  planted(
    "the limit is applied before the time",
    ["is narrowed by time, both ends included"],
    withList((list, { endTimeMs = Number.POSITIVE_INFINITY, ...query }) =>
      list(query).filter(({ timeMs }) => timeMs <= endTimeMs),
    ),
  ),
];

testPlantedFaults("rejections", {
  declare: testRejections,
  groups: rejectionsRules,
  sound: [
    bufferSubject("a buffer", () => ({}), { durable: false }),
    bufferSubject("a durable buffer", () => ({}), { durable: true }),
  ],
  faults,
});
