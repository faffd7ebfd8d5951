import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "./venue-world.ts";

/** Writes rows under a header into a separate file of this test. */
export async function csvFile(name: string, lines: readonly string[], end = "\n"): Promise<string> {
  const path = join(await temporaryDirectory(), name);
  await writeFile(path, lines.map((line) => `${line}${end}`).join(""));
  return path;
}
