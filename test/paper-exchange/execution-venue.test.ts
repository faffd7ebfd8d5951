import { describe, it } from "vitest";
import { testExecutionVenue } from "../../src/conformance/index.ts";
import { PAPER_SUPPORT, paperPlace } from "./paper-place.ts";

testExecutionVenue(
  { describe, it },
  { name: "paper venue", supports: PAPER_SUPPORT, createPlace: () => paperPlace() },
);
