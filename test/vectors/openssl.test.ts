import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import * as portable from "../../src/signing/hmac-portable.ts";
import { sign } from "../../src/signing/index.ts";

/** Signs many payloads with one secret (HMAC-SHA256) by the openssl command, in one call. */
function opensslDigests(secret: string, payloads: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "openssl-vectors-"));
  try {
    const files = payloads.map((_, index) => join(folder, String(index)));
    payloads.forEach((payload, index) => {
      writeFileSync(join(folder, String(index)), payload, "utf8");
    });
    const run = spawnSync("openssl", ["dgst", "-sha256", "-hmac", secret, ...files], { encoding: "utf8" });
    if (run.error)
      throw new Error("This test needs the openssl command; install it (apt-get install openssl).");
    if (run.status !== 0) throw new Error(`openssl failed: ${run.stderr}`);
    return run.stdout
      .trim()
      .split("\n")
      .map((line) => line.slice(line.lastIndexOf(" ") + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Secrets shorter than, as long as and longer than a block of SHA-256. */
const secret = fc.oneof(fc.stringMatching(/^[A-Za-z0-9]{1,64}$/), fc.stringMatching(/^[A-Za-z0-9]{65,150}$/));
const payload = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.webQueryParameters(),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constant(""),
);

it("signatures agree with the openssl command on random secrets and payloads", () => {
  fc.assert(
    fc.property(secret, fc.array(payload, { minLength: 12, maxLength: 12 }), (anySecret, payloads) => {
      const digests = opensslDigests(anySecret, payloads);
      expect(payloads.map((text) => sign({ secret: anySecret, payload: text }))).toEqual(digests);
      expect(payloads.map((text) => portable.hmacSha256Hex(anySecret, text))).toEqual(digests);
    }),
    { numRuns: 8 },
  );
});
