import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parentPort, Worker } from "node:worker_threads";
import { addProgress, addWorld, type Failure, noProgress, type Progress } from "../campaign.ts";

/** Clusters that a worker runs before it reports. */
const CHUNK = 100;

const { WORKERS = String(availableParallelism()) } = process.env;

type Chunk = Readonly<{ firstSeed: number; runs: number; steps: number }>;

/** Runs clusters from the next seed of the progress on, until it has their number. Calls `reported` after each chunk. */
export async function runClusters(
  progress: Progress,
  { runs, steps }: Readonly<{ runs: number; steps: number }>,
  reported: (failures: readonly Failure[]) => void,
): Promise<void> {
  let nextSeed = progress.nextSeed;
  const lastSeed = nextSeed + runs - progress.worlds;
  const done = new Map<number, Progress>();
  const next = (): Chunk | undefined => {
    if (nextSeed >= lastSeed) return undefined;
    const chunk = { firstSeed: nextSeed, runs: Math.min(CHUNK, lastSeed - nextSeed), steps };
    nextSeed += chunk.runs;
    return chunk;
  };
  // The progress contains all seeds below its next one, so that a later run can continue.
  const take = (firstSeed: number, part: Progress): void => {
    done.set(firstSeed, part);
    for (let one = done.get(progress.nextSeed); one !== undefined; one = done.get(progress.nextSeed)) {
      done.delete(progress.nextSeed);
      progress.nextSeed = one.nextSeed;
      addProgress(progress, one);
      reported(one.failures);
    }
  };
  await Promise.all(Array.from({ length: Number(WORKERS) }, () => work(next, take)));
}

/** Lets one worker run chunk after chunk. Rejects if it fails. */
function work(
  next: () => Chunk | undefined,
  take: (firstSeed: number, part: Progress) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 48 },
    });
    let chunk: Chunk | undefined;
    const give = (): void => {
      chunk = next();
      if (chunk === undefined) worker.terminate().then(() => resolve(), reject);
      else worker.postMessage(chunk);
    };
    worker.on("error", reject);
    worker.on("message", (part: Progress) => {
      take(chunk?.firstSeed ?? 0, part);
      give();
    });
    give();
  });
}

/** Runs the chunks that the main thread sends. */
export function serveClusters(): void {
  parentPort?.on("message", ({ firstSeed, runs, steps }: Chunk) => {
    const progress = noProgress(firstSeed);
    const run = async (): Promise<void> => {
      while (progress.worlds < runs) await addWorld(progress, steps, () => performance.now(), "cluster");
      parentPort?.postMessage(progress);
    };
    void run();
  });
}
