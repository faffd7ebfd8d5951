/** What a worker is told: one set. */
export type ToWorker = Readonly<{ index: number; seed: number; parameters: unknown }>;

/**
 * The program of a worker, which imports the module once and then runs set after set. It is a text and not a file, so
 * that it needs no place in the package, in a bundle of it or in its sources. It uses nothing of the package: the module
 * imports `simulate` itself. Of a result it sends the small part that a sweep keeps.
 */
export const WORKER_PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const loading = import(workerData.module);
loading.catch(() => undefined);

async function outcomeOf(parameters, context) {
  const { run } = await loading;
  if (typeof run !== "function") throw new TypeError("the module must export a function named run");
  const outcome = await run(parameters, context);
  const { statistics, hash, counts, figures } = outcome ?? {};
  if (typeof hash !== "string" || typeof statistics !== "object" || typeof counts !== "object")
    throw new TypeError("run must return the result of simulate");
  return { statistics, hash, counts, ...(figures !== undefined && { figures }) };
}

function failureOf(error) {
  const isError = error instanceof Error;
  const name = isError ? String(error.name) : typeof error;
  const stack = isError && typeof error.stack === "string" ? { stack: error.stack } : {};
  return { kind: "thrown", name, message: isError ? String(error.message) : String(error), ...stack };
}

parentPort.on("message", async ({ index, seed, parameters }) => {
  try {
    const result = await outcomeOf(parameters, { index, seed });
    parentPort.postMessage({ index, result });
  } catch (error) {
    parentPort.postMessage({ index, failure: failureOf(error) });
  }
});
`;
