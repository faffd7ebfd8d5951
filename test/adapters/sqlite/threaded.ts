import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { checked } from "../../../src/adapters/checksums/index.ts";
import { openAcknowledged } from "../../../src/adapters/sqlite/acknowledged.ts";
import { openDatabase } from "../../../src/adapters/sqlite/file.ts";
import { commitsIn, sqliteStorage } from "../../../src/adapters/sqlite/storage.ts";
import { inThread, StoreThread } from "../../../src/adapters/sqlite/store-thread.ts";
import type { Storage } from "../../../src/ports/index.ts";
import { bundleProgram } from "../../support/bundle-program.ts";
import { driver } from "./temporary-place.ts";

const built = async (name: string): Promise<URL> => {
  const file = await bundleProgram(`src/adapters/sqlite/${name}.ts`, `sqlite-${name}-${process.pid}`);
  process.once("exit", () => rmSync(file, { force: true }));
  return pathToFileURL(file);
};

/** The program of a store's thread, built from the present sources. */
export const writer: URL = await built("store-writer");

/** The adapter as a module for other processes. */
export const adapter: URL = await built("index");

/** Returns the program of a thread that ends, before it says so, when it would say the first of these words. */
export function mortalWriter(folder: string, lastWord: "leaves out" | "durable"): URL {
  const file = join(folder, `${lastWord.replace(" ", "-")}.mjs`);
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
    const post = parentPort.postMessage.bind(parentPort);
    let isDue = false;
    const on = parentPort.on.bind(parentPort);
    parentPort.on = (name, take) => on(name, (parts) => {
      isDue = JSON.stringify(parts).includes("mortal");
      take(parts);
    });
    parentPort.postMessage = (message) => {
      if (isDue && message[0] === ${JSON.stringify(lastWord)}) process.exit(7);
      post(message);
    };
    await import(${JSON.stringify(writer.href)});`,
  );
  return pathToFileURL(file);
}

/** Opens a storage whose transactions a thread writes, without the locks of a store. */
export function openThreaded(path: string, program: URL = writer, busyTimeoutMs = 5_000): Storage {
  const options = { path, driver: driver.name, busyTimeoutMs };
  const database = openDatabase(options);
  const acknowledged = openAcknowledged(path, commitsIn(database));
  const storage = sqliteStorage(database, { name: basename(path), release: () => acknowledged.close() });
  return inThread(checked(storage, "file"), new StoreThread(program, options, { database, acknowledged }));
}
