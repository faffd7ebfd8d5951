import { describe, it } from "vitest";
import { foreignVenue } from "../../../examples/foreign-venue/place.ts";
import { testExecutionVenue } from "../../../src/conformance/index.ts";

testExecutionVenue({ describe, it }, foreignVenue);
