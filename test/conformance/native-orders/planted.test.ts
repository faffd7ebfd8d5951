import { describe, expect, it } from "vitest";
import { type NativeOrdersSubject, testNativeOrders } from "../../../src/conformance/index.ts";
import { nativeOrdersRules } from "../../../src/conformance/internal.ts";
import { paperNative, paperNativePlace } from "../../support/paper-native.ts";
import { breach, namesOf } from "../planted-faults.ts";
import type { PlantedFault } from "./broken-native.ts";
import { PLANTED } from "./faults.ts";

const subjectOf = ({ supports, create }: PlantedFault): NativeOrdersSubject => ({
  name: "planted",
  supports: { ...paperNative.supports, ...supports },
  createPlace: () => paperNativePlace(create()),
});

it("every rule of the native orders port has a planted fault", () => {
  expect(Object.keys(PLANTED).toSorted()).toEqual(namesOf(nativeOrdersRules).toSorted());
});

describe.each(Object.entries(PLANTED))("%s", (rule, faults) => {
  it.each(faults)("is broken by: $mistake", async (fault) => {
    const error = await breach(rule, (framework) => testNativeOrders(framework, subjectOf(fault)));
    expect(error?.rule).toBe(rule);
  });
});
