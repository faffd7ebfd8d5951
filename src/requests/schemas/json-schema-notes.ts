/** What a parameter is, in a sentence, and a value of it. */
export type FieldNote = Readonly<{ about: string; example: string | number | boolean }>;

const note = (about: string, example: FieldNote["example"]): FieldNote => ({ about, example });

const LOOKED_FOR = "Client id to look for.";
const EXPIRY = "When the order ends by itself; it makes the order GTD.";

/** By the name of the parameter; those of the legs of a list follow the fields of an order. */
const NOTES: ReadonlyMap<string, FieldNote> = new Map([
  ["symbol", note("Symbol of the market, as exchangeInfo lists it.", "BTC/USD")],
  ["side", note("Which way the order trades.", "BUY")],
  ["type", note("What kind of order it is; some go by several names.", "SYNTHETIC_LIMIT")],
  ["quantity", note("How much of the base asset to trade.", "0.25")],
  ["price", note("Worst price in USD: the most to pay, or the least to take.", "64000.5")],
  ["stopPrice", note("Price in USD that triggers the order, or from which a trailing one follows.", "63000")],
  ["trailingDelta", note("How far the trigger trails, in basis points.", 250)],
  ["price2", note("How far the trigger trails, in percent.", "2.5")],
  ["trailingAmount", note("How far the trigger trails, in USD.", "800")],
  ["limitOffset", note("How far beyond the trigger the limit is set, in USD.", "25")],
  ["timeInForce", note("How long the order lives; without it GTD when an expiry is sent, else GTC.", "GTC")],
  ["childTimeInForce", note("How each child is sent to the market.", "IOC")],
  ["expireTime", note(EXPIRY, 1_790_000_000_000)],
  ["goodTillDate", note("Another name of expireTime; both may be sent when they agree.", 1_790_000_000_000)],
  ["reduceOnly", note("Whether the order may only make a position smaller.", false)],
  ["icebergQty", note("How much is shown, and sent, at once; at most the quantity.", "0.125")],
  [
    "targetStrategy",
    note("Makes a LIMIT a schedule under its price: 180 TWAP, 1000002 VWAP, 1000004 POV.", 180),
  ],
  ["interval", note("Milliseconds of one slot of the schedule.", 60_000)],
  ["intervalCount", note("Slots of the schedule; with volumeProfile it is the number of weights.", 3)],
  ["intervalDelay", note("Milliseconds before the first slot.", 5_000)],
  ["volumeProfile", note("Weights of the slots of a VWAP, in place of the service's own volumes.", "1,0,2")],
  ["participationBips", note("Share of the executed volume, in basis points.", 1_000)],
  ["quoteOrderQty", note("Amount of USD to spend or receive, in place of a quantity.", "500")],
  [
    "apiManaged",
    note("True makes a LIMIT a managed order, and is needed to page or cancel all of them.", true),
  ],
  ["newClientOrderId", note("Your id of the order; without it one is made of the signature.", "entry-1")],
  ["selfTradePreventionMode", note("Self-trade prevention; there is none.", "NONE")],
  ["account", note("Account to act on; without it that of the key.", 1)],
  ["userId", note("Your user; when sent it must be the owner of the key.", 1)],
  ["orderId", note("Id of the order: negative for a managed one, positive for a native one.", -256)],
  ["origClientOrderId", note(LOOKED_FOR, "entry-1")],
  ["clientOrderId", note(LOOKED_FOR, "entry-1")],
  ["clOrdId", note(LOOKED_FOR, "entry-1")],
  ["clordid", note(LOOKED_FOR, "entry-1")],
  ["includeHistory", note("Whether ended orders, and legs that wait, are listed too.", true)],
  ["newestFirst", note("Whether the newest order comes first.", true)],
  ["limit", note("How many at most.", 100)],
  ["afterOrderId", note("Where the page before ended.", 0)],
  ["orderListId", note("Id of the list.", -512)],
  ["listClientOrderId", note("Your id of the list; the same list sent again is the same list.", "bracket-1")],
  ["instrumentId", note("Id of the instrument that the list must be of.", 1)],
  ["subscriptionId", note("Which subscription to end; without it all of the connection.", 0)],
  ["requestToken", note("Session token of the account, from the operator.", "token-1")],
  ["startTime", note("First time of the range, included.", 1_760_000_000_000)],
  ["endTime", note("Last time of the range, included.", 1_790_000_000_000)],
]);

/** The note of a parameter; throws a RangeError for one that has none. */
export function noteOf(name: string): FieldNote {
  const found = NOTES.get(name);
  if (found === undefined) throw new RangeError(`no note for parameter ${name}`);
  return found;
}
