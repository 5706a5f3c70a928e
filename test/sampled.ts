/**
 * How many cases a property test tries, of all that it could: a sixth. The seed is the same for every run, so more would
 * repeat what passed; `FC_PARTS=10 npm test` tries all.
 */
export function sampled(all: number): number {
  return process.env.FC_PARTS === undefined ? Math.ceil(all / 6) : all
}
