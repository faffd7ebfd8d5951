/** The program of a store's thread, which writes its transactions. */
import { createRequire } from "node:module";
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { errorCode, errorMessage, errorName, isError } from "../../common/index.ts";
import { checked } from "../checksums/index.ts";
import { Acknowledged } from "./acknowledged.ts";
import { loadDriver } from "./database.ts";
import { commitsIn, sqliteStorage } from "./storage.ts";
import type { FromWriter, SentError, ToWriter, WriterData } from "./store-thread.ts";

const post = (message: FromWriter): void => parentPort?.postMessage(message);

function run({ path, driver, busyTimeoutMs, acknowledged: file, loadedFrom }: WriterData): void {
  // The main thread has brought the schema up to date.
  const database = loadDriver(driver, createRequire(loadedFrom)).open(path, { timeoutMs: busyTimeoutMs });
  database.pragma("synchronous = FULL");
  const acknowledged = new Acknowledged(file, commitsIn(database));
  let total = 0;
  const storage = sqliteStorage(database, {
    name: basename(path),
    decided(answers) {
      if (answers.includes(false))
        post(["leaves out", [...answers.keys()].filter((place) => !answers[place])]);
    },
    committed(commits) {
      acknowledged.note(commits);
      total = commits;
    },
  });
  const { commit } = checked(storage, "file");
  parentPort?.on("message", (message: ToWriter) => {
    if (message === "end") {
      database.close();
      post(["closed"]);
      parentPort?.close();
      return;
    }
    total = 0;
    commit(message).then(
      () => post(["durable", total]),
      (error: unknown) => post(["failed", sent(error)]),
    );
  });
}

function sent(error: unknown): SentError {
  const [code, cause] = [errorCode(error), isError(error) ? error.cause : undefined];
  return {
    ...{ name: errorName(error), message: errorMessage(error) },
    ...(code !== "unknown" && { code }),
    ...(cause !== undefined && { cause: sent(cause) }),
  };
}

run(workerData as WriterData);
