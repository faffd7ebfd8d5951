import { renameSync, writeFileSync } from "node:fs";
import { crashCampaign, LOAD_POINTS } from "./campaign.ts";
import { noPhases, type OpeningPhase, openingCampaign, PHASES } from "./opening-campaign.ts";

/** The results of the pieces so far; written after each, so that an interrupted session loses at most one piece. */
export type Progress = {
  readonly seed: number;
  pieces: number;
  kills: number;
  orders: number;
  lists: number;
  refused: number;
  uncertain: number;
  /** Openings that were killed, by phase. */
  readonly phases: Record<OpeningPhase, number>;
  /** Children that openings found in flight. */
  unknown: number;
  ms: number;
};

const AT_RANDOM = 14;
const AT_EACH_POINT = 2;
const OPENINGS = 20;
/** Fewest records that a journal has before its opening is killed. */
const RECORDS = 1_500;

/** Kills of one piece. */
export const PIECE: number = AT_RANDOM + AT_EACH_POINT * LOAD_POINTS.length + OPENINGS;

/** The progress before the first piece. */
export const noProgress = (seed: number): Progress => ({
  seed,
  pieces: 0,
  kills: 0,
  orders: 0,
  lists: 0,
  refused: 0,
  uncertain: 0,
  phases: noPhases(),
  unknown: 0,
  ms: 0,
});

/** Runs the next piece, on its own files and with its own seed; throws the check that failed after a restart. */
export async function addPiece(progress: Progress): Promise<void> {
  const startedMs = performance.now();
  const seed = progress.seed + progress.pieces;
  const loaded = await crashCampaign({ seed, randomKills: AT_RANDOM, timesPerPoint: AT_EACH_POINT });
  const opened = await openingCampaign({ seed, kills: OPENINGS, records: RECORDS });
  progress.pieces++;
  progress.kills += loaded.kills + OPENINGS;
  progress.orders += loaded.acknowledged + opened.acknowledged;
  progress.lists += loaded.lists;
  progress.refused += loaded.refused;
  progress.uncertain += loaded.uncertain;
  for (const phase of PHASES) progress.phases[phase] += opened.phases[phase];
  progress.unknown += opened.unknown;
  progress.ms += Math.round(performance.now() - startedMs);
}

/** Writes the progress in one step. */
export function retain(progress: Progress, file: string): void {
  writeFileSync(`${file}.new`, JSON.stringify(progress));
  renameSync(`${file}.new`, file);
}

/** Phases of the opening that were hit by fewer than one kill in fifty. */
export const shortOf = ({ phases, pieces }: Progress): readonly OpeningPhase[] =>
  PHASES.filter((phase) => phases[phase] < (pieces * OPENINGS) / 50);
