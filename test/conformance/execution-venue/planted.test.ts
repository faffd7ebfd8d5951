import { describe, expect, it } from "vitest";
import { createPlace, foreignVenue } from "../../../examples/foreign-venue/place.ts";
import { type ExecutionVenueSubject, testExecutionVenue } from "../../../src/conformance/index.ts";
import { executionVenueRules } from "../../../src/conformance/internal.ts";
import { breach, namesOf } from "../planted-faults.ts";
import type { PlantedFault } from "./broken-venue.ts";
import { PLANTED } from "./faults.ts";

const subjectOf = ({ supports, create }: PlantedFault): ExecutionVenueSubject => ({
  name: "planted",
  supports: { ...foreignVenue.supports, ...supports },
  createPlace: () => createPlace(create),
});

it("every rule of the execution venue port has a planted fault", () => {
  expect(Object.keys(PLANTED).toSorted()).toEqual(namesOf(executionVenueRules).toSorted());
});

describe.each(Object.entries(PLANTED))("%s", (rule, faults) => {
  it.each(faults)("is broken by: $mistake", async (fault) => {
    const error = await breach(rule, (framework) => testExecutionVenue(framework, subjectOf(fault)));
    expect(error?.rule).toBe(rule);
  });
});
