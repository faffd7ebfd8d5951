import type { Storage } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { FIRST_VERSIONS_CREATION, MIGRATIONS, NOTE_STEP } from "./migrations.ts";
import { databaseOn, requireDurable, schemaCreationIn } from "./opening.ts";
import { type PostgresStoreOptions, resolved, storeOption } from "./options.ts";
import { Patience } from "./patience.ts";
import { PostgresStoreError } from "./postgres-error.ts";
import { textIn } from "./reading.ts";
import { COPYING, OPENING } from "./statements.ts";
import { PostgresStorage } from "./storage.ts";

/** A copy in an empty schema. Nobody can open it as a store before `finish`. */
export interface PostgresCopy {
  /** What is filled: values have their checksums. It is closed with the copy. */
  readonly storage: Storage;
  /** Makes it a store. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins a copy in a schema without tables, which it creates if it is missing. Rejects like `openPostgresStore`, and with
 * the code TARGET_NOT_EMPTY if the schema has tables.
 */
export async function beginPostgresCopy(
  options: Pick<PostgresStoreOptions, "url" | "schema">,
): Promise<PostgresCopy> {
  storeOption(options, "beginPostgresCopy");
  const { answerTimeoutMs, elsewhere } = resolved(options);
  const database = databaseOn(resolved(options));
  try {
    await requireDurable(database);
    await requireEmpty(database);
    await begin(database);
    for (const step of MIGRATIONS) await database.script([NOTE_STEP(step), ...step.sql]);
  } catch (error) {
    await database.close();
    throw error;
  }
  const storage = new PostgresStorage(database, {
    ...{ answerTimeoutMs, elsewhere, patience: new Patience(answerTimeoutMs) },
  });
  return {
    storage,
    async finish() {
      const rows = await database.write(COPYING.finish);
      if (rows.length !== 1) throw new Error("another process has finished or removed the copy");
    },
    close: () => storage.close(),
  };
}

/** Marks the schema. A store that another process has opened there meanwhile must stay one: then the copy is refused. */
async function begin(database: Database): Promise<void> {
  const creation = [...(await schemaCreationIn(database)), FIRST_VERSIONS_CREATION];
  try {
    await database.script([...creation, COPYING.begin]);
  } catch (error) {
    await requireEmpty(database);
    throw error;
  }
}

async function requireEmpty(database: Database): Promise<void> {
  const { schema, database: name } = database.place;
  const tables = (await database.read(OPENING.tables, [schema])).map((row) => textIn(row, 0));
  if (tables.length === 0) return;
  throw new PostgresStoreError(
    `the schema ${schema} of ${name} is not empty (${tables.slice(0, 3).join(", ")}): choose another schema, or remove it with DROP SCHEMA "${schema}" CASCADE if you do not need it`,
    "TARGET_NOT_EMPTY",
  );
}
