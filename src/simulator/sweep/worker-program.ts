/** What a worker is told: one set. */
export type ToWorker = Readonly<{ index: number; seed: number; parameters: unknown }>;

/**
 * The program of a worker, which imports the module once and then runs set after set. It is a text and not a file, so
 * that it needs no place in the package, in a bundle of it or in its sources. It uses nothing of the package: the module
 * imports `simulate` itself. Of a result it sends the small part that a sweep keeps. It runs as CommonJS or, where Node.js
 * got `--input-type=module`, as a module.
 */
export const WORKER_PROGRAM = `
const isObject = (value) => typeof value === "object" && value !== null;

async function outcomeOf(run, parameters, context) {
  const outcome = await run(parameters, context);
  const { statistics, hash, counts, figures } = outcome ?? {};
  if (typeof hash !== "string" || !isObject(statistics) || !isObject(statistics.maxDrawdown) ||
      !isObject(statistics.trades) || !isObject(counts))
    throw new TypeError("run must return the result of simulate");
  if (figures !== undefined && !isObject(figures)) throw new TypeError("figures must be an object with values by name");
  for (const [name, figure] of Object.entries(figures ?? {}))
    if (!["string", "number", "boolean"].includes(typeof figure))
      throw new TypeError("figures." + name + " must be a string, a number, true or false");
  return { statistics, hash, counts, ...(figures !== undefined && { figures }) };
}

function failureOf(error) {
  const isError = error instanceof Error;
  const name = isError ? String(error.name) : typeof error;
  const stack = isError && typeof error.stack === "string" ? { stack: error.stack } : {};
  return { kind: "thrown", name, message: isError ? String(error.message) : textOf(error), ...stack };
}

function textOf(error) {
  try {
    return String(error);
  } catch {
    return Object.prototype.toString.call(error); // an object without a prototype
  }
}

import("node:worker_threads").then(({ parentPort, workerData }) => {
  const loading = import(workerData.module).then(({ run }) => {
    if (typeof run === "function") return run;
    throw new TypeError("the module must export a function named run");
  });
  loading.catch(() => undefined);
  parentPort.on("message", async ({ index, seed, parameters }) => {
    let unloaded = true;
    try {
      const run = await loading;
      unloaded = false;
      const result = await outcomeOf(run, parameters, { index, seed });
      parentPort.postMessage({ index, result });
    } catch (error) {
      parentPort.postMessage({ index, failure: failureOf(error), unloaded });
    }
  });
});
`;
