import * as z from "zod";
import type { Delegate, Permission } from "../model/index.ts";
import { parseAmount, parsePosition } from "../paper-exchange/index.ts";
import { readAddressBlock } from "../service/internal.ts";
import { decimalText, positiveId, readInput } from "./input-error.ts";

/** An account with its one key, as `POST /control/accounts` sets it. */
export type AccountSetup = Readonly<{
  accountId: number;
  userId: number;
  apiKey: string;
  secret: string;
  permissions: readonly Permission[];
  enableDataSharing: boolean;
  ipAllowlist: readonly string[];
  delegates: readonly Delegate[];
  restricted: boolean | readonly string[];
  /** Decimal text by asset. If left out, the balances stay unchanged. */
  balances?: Readonly<Record<string, string>> | undefined;
  /** Signed decimal text by symbol. If left out, the positions stay unchanged. */
  positions?: Readonly<Record<string, string>> | undefined;
}>;

/** An address with a prefix length; a bare address is a block of one. */
const cidr = z.string().transform((text, context) => {
  const block = readAddressBlock(text);
  if (block !== undefined) return block;
  context.addIssue("must be a CIDR block such as 10.0.0.0/8");
  return z.NEVER;
});

const amounts = z
  .record(z.string().regex(/^[A-Z0-9]{1,16}$/), decimalText)
  .superRefine((balances, context) => {
    for (const [asset, text] of Object.entries(balances)) {
      if (parseAmount(asset, text) === undefined)
        context.addIssue({ code: "custom", path: [asset], message: 'must be an amount such as "1000.5"' });
    }
  });

const positions = z.record(z.string().min(1).max(32), decimalText).superRefine((quantities, context) => {
  for (const [symbol, text] of Object.entries(quantities)) {
    if (parsePosition(text) === undefined)
      context.addIssue({ code: "custom", path: [symbol], message: 'must be a quantity such as "-0.25"' });
  }
});

const permissions = z.array(z.enum(["READ", "TRADE"]));

const setupBody = z.strictObject({
  accountId: positiveId,
  userId: positiveId.optional(),
  apiKey: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, "must be 1 to 128 letters, digits, - or _"),
  secret: z.string().regex(/^[!-~]{1,256}$/, "must be 1 to 256 visible ASCII characters"),
  permissions,
  enableDataSharing: z.boolean(),
  ipAllowlist: z.array(cidr).default([]),
  delegates: z.array(z.strictObject({ userId: positiveId, permissions })).default([]),
  balances: amounts.optional(),
  positions: positions.optional(),
  restricted: z.union([z.boolean(), z.array(z.string())]).default(false),
});

/**
 * Reads the body of `POST /control/accounts`. A missing user id defaults to the account id. Throws InputError, which
 * never repeats the secret.
 */
export function readAccountSetup(body: unknown): AccountSetup {
  const setup = readInput(setupBody, body);
  return { ...setup, userId: setup.userId ?? setup.accountId };
}
