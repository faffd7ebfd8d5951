import { createHmac, createSecretKey } from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { sign, signQuery, verifySignature } from "../../../src/signing/index.ts";
import { type Line, rounds, type Sample } from "../line.ts";
import { metered } from "../metered.ts";

const SIGNATURES = 100_000;
const SECRET = "s".repeat(64);

const parametersOf = (n: number) => ({
  symbol: "BTC/USD",
  side: "BUY",
  type: "STOP_LOSS_LIMIT",
  quantity: "0.125",
  price: "4990.25",
  stopPrice: "5000.25",
  newClientOrderId: `client-order-number-${n}`,
  recvWindow: 5_000,
  timestamp: 1_760_000_000_000 + n,
});

/** Verifies a request as the service does. */
export const verification: Line = {
  work: "verification of a signature over 200 bytes",
  unit: "verifications",
  peer: "createHmac with a key object",
  timedBy: "processor",
  target: ">= 1.0 of createHmac",
  reached: (_perSecond, ratio) => ratio >= 1,
  async open({ of }) {
    const payloads = Array.from({ length: of(SIGNATURES) }, (_, n) => {
      const payload = Buffer.from(
        `nonce=${n}&${"symbol=BTC/USD&side=BUY&quantity=0.125&price=4990.25".repeat(4)}`,
      );
      return { payload: payload.subarray(0, 200), signature: "" };
    }).map(({ payload }) => ({ payload, signature: sign({ secret: SECRET, payload }) }));
    const key = createSecretKey(Buffer.from(SECRET));
    return rounds(async () => ({
      ours: await metered(payloads.length, () => {
        for (const { payload, signature } of payloads) {
          if (!verifySignature({ secret: SECRET, payload, signature })) throw new Error("refused");
        }
      }),
      peer: await metered(payloads.length, () => {
        for (const { payload, signature } of payloads) {
          if (createHmac("sha256", key).update(payload).digest("hex") !== signature)
            throw new Error("refused");
        }
      }),
    }));
  },
};

type Signer = (n: number) => string;

const ours: Signer = (n) => signQuery({ secret: SECRET, parameters: parametersOf(n) });

/** The handwritten peer: builds the query and calls createHmac once. */
const byHand: Signer = (n) => {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(parametersOf(n)))
    parts.push(`${name}=${encodeURIComponent(value)}`);
  const query = parts.join("&");
  return `${query}&signature=${createHmac("sha256", SECRET).update(query).digest("hex")}`;
};

/**
 * The peer in the way of ccxt: copies the parameters, encodes each part, and uses the JavaScript HMAC of noble hashes.
 */
const asCcxt: Signer = (n) => {
  const parameters: Record<string, string | number> = { ...parametersOf(n) };
  const query = Object.keys(parameters)
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(String(parameters[name]))}`)
    .join("&");
  const signature = bytesToHex(hmac(sha256, utf8ToBytes(SECRET), utf8ToBytes(query)));
  return `${query}&signature=${signature}`;
};

async function against(peer: Signer, count: number): Promise<Sample> {
  const signing = (signer: Signer) => (): void => {
    for (let n = 0; n < count; n++) signer(n);
  };
  if (ours(1) !== peer(1)) throw new Error(`the peer signs otherwise: ${peer(1)}`);
  return { ours: await metered(count, signing(ours)), peer: await metered(count, signing(peer)) };
}

/** Measures the signing of a client's query. */
export const clientSigning: Line = {
  work: "client signing of nine parameters",
  unit: "requests",
  peer: "query joined by hand and createHmac",
  timedBy: "processor",
  target: ">= 1.0 of build-and-sign",
  reached: (_perSecond, ratio) => ratio >= 1,
  open: async ({ of }) => rounds(() => against(byHand, of(SIGNATURES))),
};

/** Compares the same signing with the way of ccxt. */
export const clientSigningCcxt: Line = {
  ...clientSigning,
  peer: "the way of ccxt: HMAC in JavaScript",
  target: ">= 5x of ccxt",
  reached: (_perSecond, ratio) => ratio >= 5,
  open: async ({ of }) => rounds(() => against(asCcxt, of(SIGNATURES / 5))),
};
