import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { PassThrough, pipeline, type Readable, Transform } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { MarketDataError } from "./market.ts";

const END = { signature: 0x06054b50, bytes: 22 };
const LISTED = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };

/** Most bytes that follow the end of an archive: its comment. */
const MOST_COMMENT = 65_535;

/** Most bytes of the list of files that are read. An archive of one file lists fewer. */
const MOST_LISTED = 1_048_576;

const STORED = 0;
const DEFLATED = 8;
const IS_ENCRYPTED = 1;

/** A value that stands for one of 64 bits elsewhere. */
const ELSEWHERE = 0xffff_ffff;

/** A file of an archive. `at` is the place of its own header, before its bytes. */
type Entry = Readonly<{
  name: string;
  isEncrypted: boolean;
  method: number;
  sum: number;
  packedBytes: number;
  bytes: number;
  at: number;
}>;

/**
 * Returns the bytes of the only file in a zip archive, and checks their sum at the end. Nothing is held but the list of files.
 * Throws a MarketDataError for an archive of none or several files, one that is encrypted, larger than 4 GiB, compressed in
 * another way than the usual one, or damaged.
 */
export async function unzipped(path: string): Promise<Readable> {
  const file = await open(path);
  let entry: Entry;
  let start: number;
  try {
    entry = onlyFile(await listOf(file));
    const local = await bytesAt(file, entry.at, LOCAL.bytes);
    if (local.readUInt32LE(0) !== LOCAL.signature) throw damaged();
    start = entry.at + LOCAL.bytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  } finally {
    await file.close();
  }
  if (entry.packedBytes === 0) throw new MarketDataError(`${entry.name} in the archive is empty`);
  const packed = createReadStream(path, { start, end: start + entry.packedBytes - 1 });
  const whole = entry.method === STORED ? new PassThrough() : createInflateRaw();
  // The reader of the last stream sees the error of each.
  return pipeline(packed, whole, sumCheck(entry), () => undefined);
}

async function listOf(file: FileHandle): Promise<readonly Entry[]> {
  const { size } = await file.stat();
  const tailBytes = Math.min(size, END.bytes + MOST_COMMENT);
  const tail = await bytesAt(file, size - tailBytes, tailBytes);
  let at = tail.length - END.bytes;
  while (at >= 0 && tail.readUInt32LE(at) !== END.signature) at--;
  if (at < 0) throw new MarketDataError("the file is not a zip archive, or its end is missing");
  const [count, bytes, start] = [
    tail.readUInt16LE(at + 10),
    tail.readUInt32LE(at + 12),
    tail.readUInt32LE(at + 16),
  ];
  if (start === ELSEWHERE) throw tooLarge();
  if (bytes > MOST_LISTED) throw severalFiles();
  const list = await bytesAt(file, start, bytes);
  const entries: Entry[] = [];
  for (let next = 0; entries.length < count; ) {
    if (next + LISTED.bytes > list.length || list.readUInt32LE(next) !== LISTED.signature) throw damaged();
    const nameEnd = next + LISTED.bytes + list.readUInt16LE(next + 28);
    entries.push({
      name: list.toString("utf8", next + LISTED.bytes, nameEnd),
      isEncrypted: (list.readUInt16LE(next + 8) & IS_ENCRYPTED) !== 0,
      method: list.readUInt16LE(next + 10),
      sum: list.readUInt32LE(next + 16),
      packedBytes: list.readUInt32LE(next + 20),
      bytes: list.readUInt32LE(next + 24),
      at: list.readUInt32LE(next + 42),
    });
    next = nameEnd + list.readUInt16LE(next + 30) + list.readUInt16LE(next + 32);
  }
  return entries;
}

/** Folders, and what macOS writes beside files, are no files of the archive. */
function onlyFile(entries: readonly Entry[]): Entry {
  const [entry, ...others] = entries.filter(({ name }) => !/\/$|^__MACOSX\//.test(name));
  if (entry === undefined) throw new MarketDataError("the archive has no file");
  if (others.length > 0) throw severalFiles();
  const { name, isEncrypted, method, packedBytes, bytes, at } = entry;
  if (isEncrypted) throw new MarketDataError(`${name} in the archive is encrypted: unpack it first`);
  if ([packedBytes, bytes, at].includes(ELSEWHERE)) throw tooLarge();
  if (method === STORED || method === DEFLATED) return entry;
  throw new MarketDataError(`${name} in the archive is compressed by method ${method}: unpack it first`);
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length) throw damaged();
  return buffer;
}

function sumCheck({ name, sum, bytes }: Entry): Transform {
  let [counted, seen] = [0, 0];
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      counted = crc32(part, counted);
      seen += part.length;
      done(null, part);
    },
    flush: (done) =>
      done(
        counted === sum && seen === bytes ? null : new MarketDataError(`${name} in the archive is damaged`),
      ),
  });
}

const damaged = (): MarketDataError => new MarketDataError("the archive is damaged");

const severalFiles = (): MarketDataError =>
  new MarketDataError("the archive has several files: unpack it, and read each with a csvMarket of its own");

const tooLarge = (): MarketDataError =>
  new MarketDataError("the archive is in the zip64 format, for more than 4 GiB: unpack it first");
