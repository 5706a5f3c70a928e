/** Code that is mutated, and the tests that must notice: those beside it. */
export interface MutationPart {
  name: string
  mutate: readonly string[]
  tests: readonly string[]
}

const parts: readonly MutationPart[] = [
  {
    name: 'verdict',
    mutate: ['src/verdict/**/*.ts'],
    tests: ['src/verdict/**/*.test.ts'],
  },
  {
    name: 'failure',
    mutate: ['src/failure/{precedence,effect,match,classify,build}.ts'],
    // Without those of size and speed: each of their cases takes seconds.
    tests: ['src/failure/!(hostile|redact.attack).test.ts'],
  },
  {
    name: 'call',
    mutate: ['src/call/attempt/{bounds,judge}.ts'],
    tests: ['src/call/**/*.test.ts'],
  },
  {
    name: 'queue',
    mutate: ['src/queue/run/{judge,act,admission}.ts'],
    tests: ['src/queue/**/*.test.ts'],
  },
]

/** The parts of the mutation run, by name. */
export const PARTS: Readonly<Record<string, MutationPart>> = Object.fromEntries(
  parts.map(part => [part.name, part]),
)
