/** Returns the seed of a run: the environment variable SEED, to repeat a failed run, or the given one. */
export const seedOr = (usual: number): number => Number(process.env.SEED ?? usual);
