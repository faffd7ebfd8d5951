/** Requests of one kind, and the nanoseconds of each. */
export type Sample = Readonly<{ kind: string; took: readonly bigint[] }>;

/** The two kinds of requests in a comparison. */
export type Samples = readonly [Sample, Sample];

/** The difference of two samples. */
export type Comparison = Readonly<{
  /** Chance that a request of the first kind took longer than one of the second; 0.5 without a difference. */
  superiority: number;
  /** The rank sum as a standard normal deviate; beyond 3.3 once in a thousand by chance. */
  z: number;
}>;

/**
 * Computes the Mann-Whitney rank sum of the two, equal values sharing their ranks; for samples large enough for the
 * normal law.
 */
export function compare(samples: Samples): Comparison {
  const [first, second] = [samples[0].took, samples[1].took];
  const all = [
    ...first.map((took) => ({ took, mine: true })),
    ...second.map((took) => ({ took, mine: false })),
  ];
  all.sort((a, b) => (a.took < b.took ? -1 : a.took > b.took ? 1 : 0));
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.took === all[from]?.took) to++;
    const count = to - from;
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at++) if (all[at]?.mine === true) ranks += rank;
    ties += count ** 3 - count;
    from = to;
  }
  const [n, m] = [first.length, second.length];
  const u = ranks - (n * (n + 1)) / 2;
  const total = n + m;
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  return { superiority: u / (n * m), z: (u - (n * m) / 2) / deviation };
}

const QUANTILES = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99];

/** Quantiles in microseconds. */
function quantilesOf(values: readonly bigint[]): readonly number[] {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return QUANTILES.map((share) => Number(sorted[Math.floor(share * (sorted.length - 1))] ?? 0n) / 1_000);
}

/** The difference of the medians, and its ratio to the spread of the middle half of the second sample. */
function medianGap(samples: Samples): string {
  const [first, second] = [quantilesOf(samples[0].took), quantilesOf(samples[1].took)];
  const gap = (first[2] ?? 0) - (second[2] ?? 0);
  const spread = (second[3] ?? 0) - (second[1] ?? 0);
  return `${gap.toFixed(2)}, ${((Math.abs(gap) / spread) * 100).toFixed(0)} % of the spread of the middle half`;
}

/** The figures as text, in microseconds. */
export function reportOf(name: string, samples: Samples, { superiority, z }: Comparison): string {
  const head = ["".padEnd(16), ...QUANTILES.map((share) => `p${share * 100}`.padStart(8))].join(" ");
  const rows = samples.map(({ kind, took }) =>
    [kind.padEnd(16), ...quantilesOf(took).map((value) => value.toFixed(1).padStart(8))].join(" "),
  );
  const odds = `${(superiority * 100).toFixed(2)} % (50 %: no difference), z = ${z.toFixed(2)}`;
  const gap = `the medians differ by ${medianGap(samples)}`;
  return ["", `${name}, microseconds`, head, ...rows, gap, `${samples[0].kind} took longer: ${odds}`].join(
    "\n",
  );
}
