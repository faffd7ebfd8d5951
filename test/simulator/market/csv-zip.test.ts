import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { csvMarket, MarketDataError, type MarketRow } from "../../../src/simulator/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zip-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Zipped = Readonly<{
  name?: string;
  text?: string;
  method?: number;
  flags?: number;
  sum?: number;
  /** The size in the list of files. */
  size?: number;
}>;

/** Writes a zip archive as the format says; the sizes and the sum are only in the list, as streaming writers leave them. */
function zipOf(files: readonly Zipped[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name = "day.csv", text = "", method = 8, flags = 8, ...changed } of files) {
    const bytes = Buffer.from(text);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    local.writeUInt16LE(4, 28);
    const listed = Buffer.alloc(46);
    listed.writeUInt32LE(0x02014b50, 0);
    listed.writeUInt16LE(flags, 8);
    listed.writeUInt16LE(method, 10);
    listed.writeUInt32LE(changed.sum ?? crc32(bytes), 16);
    listed.writeUInt32LE(packed.length, 20);
    listed.writeUInt32LE(changed.size ?? bytes.length, 24);
    listed.writeUInt16LE(name.length, 28);
    listed.writeUInt32LE(at, 42);
    const stored = Buffer.concat([local, Buffer.from(`${name}more`), packed]);
    at += stored.length;
    parts.push(stored);
    list.push(listed, Buffer.from(name));
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, ...list, end, Buffer.from(comment)]);
}

async function read(bytes: Buffer): Promise<readonly MarketRow[]> {
  await writeFile(join(folder, "day.zip"), bytes);
  const rows: MarketRow[] = [];
  for await (const row of csvMarket(join(folder, "day.zip"), { symbol: "BTC/USD" })) rows.push(row);
  return rows;
}

const HEAD = "time,price,quantity\n";
const TEXT = `${HEAD}1577836800000,10,1\n1577836800001,11,2\n`;

describe("csvMarket reads an archive", () => {
  it.each([
    ["of one compressed file", zipOf([{ text: TEXT }])],
    ["of one stored file", zipOf([{ text: TEXT, method: 0 }])],
    ["with a comment", zipOf([{ text: TEXT }], "from the exchange")],
    [
      "with folders and what macOS adds",
      zipOf([{ name: "data/", method: 0 }, { text: TEXT }, { name: "__MACOSX/._day.csv", text: "x" }]),
    ],
  ])("%s", async (_what, bytes) => {
    expect((await read(bytes)).map(({ timeMs }) => timeMs)).toEqual([1_577_836_800_000, 1_577_836_800_001]);
  });

  it("of more bytes than are read at once, line by line", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `${1_577_836_800_000 + index},10,1\n`);
    expect(await read(zipOf([{ text: HEAD + lines.join("") }]))).toHaveLength(50_000);
  });

  it("and names the line of a row that cannot be used", async () => {
    await expect(read(zipOf([{ text: `${TEXT}1577836800002,x,1\n` }]))).rejects.toThrow(
      "day.zip line 4: price",
    );
  });
});

describe("csvMarket refuses an archive", () => {
  const good = zipOf([{ text: TEXT }]);
  it.each([
    [
      "of several files",
      zipOf([{ text: TEXT }, { name: "b.csv", text: TEXT }]),
      "has several files: unpack it",
    ],
    ["without a file", zipOf([]), "has no file"],
    ["whose file is empty", zipOf([{ method: 0 }]), "day.csv in the archive is empty"],
    ["that is encrypted", zipOf([{ text: TEXT, flags: 9 }]), "day.csv in the archive is encrypted"],
    ["of the zip64 format", zipOf([{ text: TEXT, size: 0xffff_ffff }]), "zip64"],
    ["of another method", zipOf([{ text: TEXT, method: 12 }]), "compressed by method 12: unpack it"],
    ["that was cut off", good.subarray(0, good.length - 30), "is not a zip archive, or its end is missing"],
    ["that is plain text", Buffer.from(TEXT), "is not a zip archive"],
    ["that lacks its beginning", good.subarray(20), "the archive is damaged"],
    ["whose sum differs", zipOf([{ text: TEXT, sum: 1 }]), "day.csv in the archive is damaged"],
    ["whose size differs", zipOf([{ text: TEXT, size: 1 }]), "day.csv in the archive is damaged"],
  ])("%s", async (_what, bytes, message) => {
    const refused = read(bytes);
    await expect(refused).rejects.toThrow(MarketDataError);
    await expect(refused).rejects.toThrow(message);
  });

  it("whose bytes are not compressed as the list says", async () => {
    const bytes = Buffer.from(good);
    bytes.fill(0xff, 41, 60);
    await expect(read(bytes)).rejects.toThrow("day.zip cannot be read (Z_DATA_ERROR)");
  });
});
