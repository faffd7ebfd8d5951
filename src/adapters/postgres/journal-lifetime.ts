import { flagOption, functionOption, type OptionCheck, optional, optionsOf } from "../../common/index.ts";
import type { Awaitable } from "../../ports/index.ts";

/** A record that leaves the store. The text contains shard and sequence too. */
export interface LeavingRecord {
  readonly shard: number;
  readonly sequence: number;
  readonly text: string;
}

/** Lifetime of the journal (decisions TA and XA). */
export interface PostgresJournalOptions {
  /** If true, the records of an order are deleted with its row, when retention deletes it. Default false. */
  readonly forget?: boolean;
  /**
   * Receives records before they are deleted. They are deleted when the answer resolves; if it rejects, or takes longer
   * than `answerTimeoutMs`, they stay, and the next hour tries again. So a record may come more than once, always with
   * the same text. Requires `forget`.
   */
  readonly archive?: (records: readonly LeavingRecord[]) => Awaitable<void>;
}

/** Checks the options of a journal. Throws a RangeError for an archive without `forget`. */
export const journalOption: OptionCheck = (value, name) => {
  journalOptions(value, name);
  const { forget, archive } = value as PostgresJournalOptions;
  if (archive === undefined || forget === true) return;
  throw new RangeError(`${name}.archive needs ${name}.forget: true: without it, no record leaves the store`);
};

const journalOptions: OptionCheck = optionsOf<PostgresJournalOptions>({
  forget: optional(flagOption),
  archive: optional(functionOption("receives records before they are deleted")),
});
