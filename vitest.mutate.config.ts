import { defineConfig } from 'vitest/config'
import { PARTS } from './scripts/mutation-parts.ts'

const part = PARTS[process.env.MUTATION_PART ?? 'verdict']

// Without the bundle of the command: no test of these parts starts it.
export default defineConfig({
  resolve: { conditions: ['mulligan-source'] },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: {
    include: [...(part?.tests ?? [])],
    // A mutant is switched on by a variable, not by loading its module: the files of one try share what is loaded.
    isolate: part?.isolate ?? true,
    setupFiles: ['scripts/property-seed.ts'],
    testTimeout: 60_000,
  },
})
