import {
  evolve,
  listStatusOf,
  protectiveFirst,
  statusOf,
  transitionList,
} from "../../src/lifecycle/index.ts";

/**
 * What is searched. Tests give it broken parts. `submits` is the one rule of it that the engine keeps, not the
 * lifecycle: a child goes out when the record that intends it is durable.
 */
export type Subject = Readonly<{
  transitionList: typeof transitionList;
  evolve: typeof evolve;
  protectiveFirst: typeof protectiveFirst;
  statusOf: typeof statusOf;
  listStatusOf: typeof listStatusOf;
  submits: "when durable" | "when decided";
}>;

/** The rules as they are. */
export const RULES_AS_THEY_ARE: Subject = {
  transitionList,
  evolve,
  protectiveFirst,
  statusOf,
  listStatusOf,
  submits: "when durable",
};
