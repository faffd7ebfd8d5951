/** The seed of a run: that of the environment variable SEED, to make a failed run again, else this one. */
export const seedOr = (usual: number): number => Number(process.env.SEED ?? usual);
