import { createHmac, createSecretKey } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { encodeQuery, sign, signQuery } from "../../src/signing/index.ts";
import { figure, medianOf } from "./measure.ts";
import { metered } from "./metered.ts";

const SECRET = "s".repeat(64);
const REQUESTS = 1_000;

/** Signs a request. */
type Way = (
  request: Readonly<{ parameters: PlacementParameters; stamped: PlacementParameters; query: string }>,
) => unknown;

/** The eight parameters of a placement; the timestamp makes nine. */
export type PlacementParameters = Readonly<Record<string, string | number>>;

/** Two ways to sign that are measured in turn, and the least ratio of their times. */
type Comparison = Readonly<{ work: string; way: Way; peer: string; peerWay: Way; least?: number }>;

/** Ways to sign of other packages, by name and version: they build the request and sign it. */
export type Others = Readonly<
  Record<"ccxt" | "connector", Readonly<{ name: string; sign: (parameters: PlacementParameters) => unknown }>>
>;

/** The same `sign`, bundled as for a browser. */
export type PortableSign = typeof sign;

/** Key and secret that the other packages sign with. */
export const CREDENTIALS: Readonly<{ apiKey: string; secret: string }> = { apiKey: "key", secret: SECRET };

const requests = Array.from({ length: REQUESTS }, (_, n) => {
  const parameters = {
    ...{ symbol: "BTC/USD", side: "BUY", type: "STOP_LOSS_LIMIT", quantity: "0.125", price: "4990.25" },
    ...{ stopPrice: "5000.25", newClientOrderId: `client-order-number-${n}`, recvWindow: 5_000 },
  };
  const stamped = { ...parameters, timestamp: 1_760_000_000_000 + n };
  return { parameters, stamped, query: encodeQuery(stamped) };
});

const key = createSecretKey(Buffer.from(SECRET));
const bare: Way = ({ query }) => createHmac("sha256", key).update(query).digest("hex");
const noble: Way = ({ query }) => bytesToHex(hmac(sha256, utf8ToBytes(SECRET), utf8ToBytes(query)));
const built: Way = ({ stamped }) => signQuery({ secret: SECRET, parameters: stamped });
/** The other packages add the timestamp themselves. */
const stampedAndBuilt: Way = ({ parameters }) =>
  signQuery({ secret: SECRET, parameters: { ...parameters, timestamp: Date.now() } });

function comparisonsOf({ ccxt, connector }: Others, portable: PortableSign): readonly Comparison[] {
  const hmacOfNode = "`createHmac` with a key object";
  const build = "`signQuery` of nine parameters";
  const stamp = "the same, with the timestamp added to eight";
  return [
    {
      work: "`sign` of the text",
      way: ({ query }) => sign({ secret: SECRET, payload: query }),
      ...{ peer: hmacOfNode, peerWay: bare, least: 0.9 },
    },
    { work: build, way: built, peer: `${hmacOfNode}, of the text`, peerWay: bare, least: 0.5 },
    {
      work: stamp,
      way: stampedAndBuilt,
      peer: ccxt.name,
      peerWay: ({ parameters }) => ccxt.sign(parameters),
      least: 4,
    },
    {
      work: stamp,
      way: stampedAndBuilt,
      peer: connector.name,
      peerWay: ({ parameters }) => connector.sign(parameters),
    },
    {
      work: "`sign` of the text, as in a browser",
      way: ({ query }) => portable({ secret: SECRET, payload: query }),
      ...{ peer: "HMAC of @noble/hashes", peerWay: noble, least: 0.8 },
    },
  ];
}

/**
 * Prints a table of signing beside the ways of others. Each round measures all pairs, one way right after the other; the
 * first round warms up and does not count.
 */
export async function printSigning(others: Others, portable: PortableSign): Promise<void> {
  const rounds = Number(process.env.ROUNDS ?? "15");
  const comparisons = comparisonsOf(others, portable);
  const samples = comparisons.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, comparison] of comparisons.entries()) {
      const sample = await sampled(comparison, round % 2 === 0);
      if (round > 0) samples[index]?.push(sample);
    }
  }
  console.log("| work | us | peer | peer's us | ratio | spread of rounds | target | reached |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [index, comparison] of comparisons.entries()) {
    console.log(`| ${rowOf(comparison, samples[index] ?? []).join(" | ")} |`);
  }
}

/** Processor time of each request of both ways, in microseconds. */
type Sample = Readonly<{ us: number; peerUs: number }>;

async function sampled({ way, peerWay }: Comparison, peerFirst: boolean): Promise<Sample> {
  const earlyPeerUs = peerFirst ? await costOf(peerWay) : undefined;
  const us = await costOf(way);
  return { us, peerUs: earlyPeerUs ?? (await costOf(peerWay)) };
}

/** Long enough that the steps in which Linux counts processor time do not show. */
const REPETITIONS = 20;

async function costOf(way: Way): Promise<number> {
  const { mainUs, operations } = await metered(REPETITIONS * REQUESTS, () => {
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      for (const request of requests) way(request);
    }
  });
  return mainUs / operations;
}

function rowOf({ work, peer, least }: Comparison, samples: readonly Sample[]): readonly string[] {
  const ratios = samples.map(({ us, peerUs }) => peerUs / us);
  const ratio = medianOf(ratios);
  return [
    work,
    figure(medianOf(samples.map(({ us }) => us))),
    peer,
    figure(medianOf(samples.map(({ peerUs }) => peerUs))),
    figure(ratio),
    `${figure(Math.min(...ratios))}-${figure(Math.max(...ratios))}`,
    least === undefined ? "" : `>= ${least}`,
    least === undefined ? "" : ratio >= least ? "yes" : "no",
  ];
}
