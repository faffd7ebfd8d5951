const CONTROL_URL = process.env.CONTROL_URL ?? "http://127.0.0.1:8081";

/** Calls the control interface of the sandbox. It answers when all work that follows is done. */
async function control(path: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const reply = await fetch(`${CONTROL_URL}/control/${path}`, init);
  if (!reply.ok) throw new Error(`control ${path}: ${reply.status} ${await reply.text()}`);
}

/** Advances the clock of the sandbox, then sends a quote of SOL/USD. */
export async function moveMarket(
  move: Readonly<{ advanceMs: number; bid: string; ask: string }>,
): Promise<void> {
  const { advanceMs, ...prices } = move;
  await control("clock", { advanceMs });
  await control("quotes", { symbol: "SOL/USD", ...prices });
}

/** Reports a trade of other parties in SOL/USD. */
export async function reportTrade(trade: Readonly<{ price: string; quantity: string }>): Promise<void> {
  await control("trades", { symbol: "SOL/USD", ...trade });
}
