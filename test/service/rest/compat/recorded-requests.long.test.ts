import { expect, it } from "vitest";
import { COMPAT_ROUTES } from "../../../../src/requests/index.ts";
import { createAnswerCheck, createRequestCheck, openCompatWorld, recordedRequests, wireOf } from "./world.ts";

const TIME = /(?:^|[?&])timestamp=([0-9]+)/;

it("the bytes that six existing clients send are answered as their routes are described", async () => {
  const world = await openCompatWorld();
  const problemOf = createAnswerCheck();
  const problems: string[] = [];
  const requested = new Set<string>();
  for (const recorded of recordedRequests()) {
    const request = wireOf(recorded);
    const sentAt = TIME.exec(`${recorded.target}&${recorded.body ?? ""}`)?.[1];
    if (sentAt !== undefined && Number(sentAt) > world.clock.nowMs()) {
      await world.clock.advanceTo(Number(sentAt));
      world.quote();
    }
    const problem = problemOf(request, await world.service.handle(request));
    if (problem !== undefined) problems.push(`${recorded.method} ${recorded.target}: ${problem}`);
    requested.add(`${recorded.method} ${recorded.target.split("?")[0]}`);
  }
  expect(problems).toEqual([]);
  const routes = COMPAT_ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect([...requested].sort()).toEqual(routes.sort());
});

it("what these clients send is described, so that a gateway that reads the description lets it through", () => {
  const problemOf = createRequestCheck();
  const problems = recordedRequests().flatMap((recorded) => {
    const problem = problemOf(recorded);
    return problem === undefined
      ? []
      : [`${recorded.method} ${recorded.target} ${recorded.body}: ${problem}`];
  });
  expect(problems).toEqual([]);
});
