import {
  evolve,
  listStatusOf,
  protectiveFirst,
  statusOf,
  transitionList,
} from "../../../src/lifecycle/index.ts";

/**
 * The code under search; tests replace parts of it with broken ones. `submits` is the one rule that belongs to the
 * engine and not to the lifecycle: a child goes out when the record that intends it is durable.
 */
export type Subject = Readonly<{
  transitionList: typeof transitionList;
  evolve: typeof evolve;
  protectiveFirst: typeof protectiveFirst;
  statusOf: typeof statusOf;
  listStatusOf: typeof listStatusOf;
  submits: "when durable" | "when decided";
}>;

/** The unchanged rules. */
export const RULES_AS_THEY_ARE: Subject = {
  transitionList,
  evolve,
  protectiveFirst,
  statusOf,
  listStatusOf,
  submits: "when durable",
};
