import { createPlace, foreignVenue } from "../../../examples/foreign-venue/place.ts";
import { createForeignVenue } from "../../../examples/foreign-venue/venue.ts";
import { executionVenueRules } from "../../../src/conformance/execution-venue/execution-venue.ts";
import { type ExecutionVenueSubject, testExecutionVenue } from "../../../src/conformance/index.ts";
import type { ExecutionVenue } from "../../../src/ports/index.ts";
import { testPlantedFaults } from "../../support/planted-faults.ts";
import { changed, type PlantedFault } from "./broken-venue.ts";
import { PLANTED } from "./faults.ts";

const subjectOf = ({ mistake, supports, create }: PlantedFault): ExecutionVenueSubject => ({
  name: mistake,
  supports: { ...foreignVenue.supports, ...supports },
  createPlace: () => createPlace(create),
});

/** An adapter without any optional part. */
const plain: PlantedFault = {
  mistake: "an adapter without optional parts",
  supports: {
    ...{ honoursDeadline: false, canVoid: false, venueTime: false, abortable: false },
    ...{ openChildren: false, partialReports: false, earlyEvents: false, lateFills: false },
    ...{ finalRefusals: false, fundsMark: false },
  },
  create(api): ExecutionVenue {
    const { voidChild: _, venueTimeMs: __, ...honest } = createForeignVenue(api);
    return {
      ...honest,
      capabilities: { honoursDeadline: false, canVoid: false },
      async submit(child, { deadlineMs }) {
        const { signal } = new AbortController();
        const { childId, state, fills } = await honest.submit(child, { deadlineMs, signal });
        return { childId, state, fills };
      },
      async lookup(child) {
        const found = await honest.lookup(child);
        return typeof found === "object" && "notFoundAtMs" in found ? "not-found" : found;
      },
      subscribe: () => () => undefined,
    };
  },
};

/** An exchange that writes eight decimals, and whose connection reports a lost answer at once. */
const hasty: ExecutionVenueSubject = {
  name: "an exchange with eight decimals, whose lost answers reject at once",
  supports: { ...foreignVenue.supports, abortable: false },
  createPlace() {
    let isLost = false;
    const submits = changed((honest) => ({
      submit(child, options) {
        const answer = honest.submit(child, options);
        if (!isLost) return answer;
        isLost = false;
        return Promise.race([answer, Promise.reject(new Error("socket hang up"))]);
      },
    }));
    const place = createPlace(submits);
    return {
      ...place,
      lose(lost) {
        isLost = true;
        return place.lose(lost);
      },
      position: async (symbol) => Number(await place.position(symbol)).toFixed(8),
    };
  },
};

testPlantedFaults("execution venue", {
  declare: testExecutionVenue,
  groups: executionVenueRules,
  sound: [subjectOf(plain), hasty],
  faults: Object.entries(PLANTED).flatMap(([rule, faults]) =>
    faults.map((fault) => ({ fault: fault.mistake, breaks: [rule], subject: subjectOf(fault) })),
  ),
});
