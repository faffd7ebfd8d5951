import { flagOption, functionOption, nameOption, type OptionCheck, optionsOf } from "../../common/index.ts";
import type { Awaitable, VolumeHistory } from "../../ports/index.ts";
import { controlsOf } from "../suite/index.ts";

/** An executed trade, with its quantity as decimal text. `id` is unique in its market. */
export interface ExecutedTrade {
  readonly symbol: string;
  readonly quantity: string;
  readonly id: string;
  /** When it was executed, in epoch milliseconds. */
  readonly timeMs: number;
}

/** A record of trades behind the history, and what the suite needs of it. Nobody else trades. */
export interface VolumeHistoryPlace {
  readonly volumeHistory: VolumeHistory;
  /** Returns the time of the record in epoch milliseconds. Trades of the suite are up to 20 hours older. */
  nowMs(): number;
  /** Records trades, in any order. One whose market and id were recorded is the same trade again. */
  record(trades: readonly ExecutedTrade[]): Awaitable<void>;
  /** Resolves when every answer that is due has come. */
  idle(): Promise<void>;
  /** Removes the place. */
  remove(): Awaitable<void>;
  /** With `remote`: makes the record unreachable, or reachable again. */
  setOutage?(isOut: boolean): Awaitable<void>;
}

/** The optional parts of a history, each declared as present or absent. */
export interface VolumeHistorySupport {
  /** Whether it asks another system, which may be unreachable. If not, it answers synchronously. */
  readonly remote: boolean;
}

/** An adapter of the volume history port as its author describes it to the suite. */
export interface VolumeHistorySubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: VolumeHistorySupport;
  /** Creates a history without trades. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<VolumeHistoryPlace>;
}

/** Checks an adapter that is handed to the suite. */
export const volumeHistorySubject: OptionCheck = /* @__PURE__ */ optionsOf<VolumeHistorySubject>({
  name: nameOption,
  supports: optionsOf<VolumeHistorySupport>({ remote: flagOption }),
  createPlace: functionOption("creates a history"),
});

/** Returns the check of a place. It demands the control of an outage if the history is remote. */
export function volumePlaceCheck({ remote }: VolumeHistorySupport, history: OptionCheck): OptionCheck {
  const { always, where } = controlsOf("VolumeHistoryPlace");
  return optionsOf<VolumeHistoryPlace>(
    {
      ...{ volumeHistory: history, nowMs: always, record: always, idle: always, remove: always },
      setOutage: where(remote),
    },
    { open: true },
  );
}
