import { compareReaders } from "./campaign.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const inputs = Number(process.env["INPUTS"] ?? 1_000_000);
console.log(
  `seed ${seed}; SEED=${seed} INPUTS=${inputs} npm run program -- readers makes these inputs again`,
);
const { taken, refused, difference } = compareReaders(seed, inputs);
console.log(`${taken} taken, ${refused} refused`);
if (difference !== undefined) {
  console.log(difference);
  process.exitCode = 1;
} else console.log("the readers of the rules and zod agree");
