import { existsSync, readFileSync } from "node:fs";
import { mountCampaign } from "./mounts.ts";
import { inWords } from "./opening-campaign.ts";
import { addPiece, noProgress, PIECE, type Progress, retain, shortOf } from "./pieces.ts";

const { SEED, KILLS, RESUME } = process.env;
const kills = Number(KILLS ?? 1_000);
const progress = stored(RESUME) ?? noProgress(Number(SEED ?? Date.now() % 1_000_000));
console.log(`seed ${progress.seed}, ${progress.pieces} pieces of ${PIECE} kills done before`);

while (progress.kills < kills) {
  const seed = progress.seed + progress.pieces;
  try {
    await addPiece(progress);
  } catch (error) {
    console.log(`SEED=${seed} KILLS=${PIECE} npm run crash makes this piece again`);
    throw error;
  }
  if (RESUME !== undefined) retain(progress, RESUME);
  console.log(`${progress.kills} of ${kills} kills in ${Math.round(progress.ms / 1_000)} s`);
}
await mountCampaign((line) => console.log(line));
const { orders, lists, refused, uncertain, phases, unknown } = progress;
console.log(
  `${orders} orders and ${lists} lists acknowledged, ${refused} refused, ${uncertain} without an answer`,
);
console.log(`while opening: ${inWords(phases)}; ${unknown} children found in flight`);
const short = shortOf(progress);
if (short.length > 0) throw new Error(`hardly hit: ${short.join(", ")}; run it on a quieter machine`);
console.log(`all invariants held after every restart, in ${Math.round(progress.ms / 1_000)} s`);

/** The progress that an earlier session wrote. */
function stored(file: string | undefined): Progress | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")) as Progress;
}
