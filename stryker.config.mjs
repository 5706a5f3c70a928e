import { PARTS } from './scripts/mutation-parts.ts'

const part = PARTS[process.env.MUTATION_PART ?? 'verdict']

/**
 * Which faults in the code that decides would no test notice? `npm run mutate` starts this once per part.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'vitest',
  // `related` would start every test of the project that imports the part, most of which say little about it.
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  // Each mutant meets only the tests that reach it.
  coverageAnalysis: 'perTest',
  mutate: [...part.mutate, '!src/**/*.test.ts', '!src/**/index.ts'],
  // A wrong word in code does not type-check, and words for readers may change freely: no test must pin them.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: part.ignoreStatic ?? false,
  // The sandbox needs no rewritten tsconfig, and the TypeScript of this project could not write one: it has no API.
  tsconfigFile: 'none',
  ignorePatterns: ['.cache', 'bench', 'docs', 'examples', '.built', 'dist'],
  // Results of unchanged code and tests are kept.
  incremental: true,
  incrementalFile: `.cache/stryker/${part.name}.incremental.json`,
  tempDirName: '.cache/stryker/sandbox',
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `.cache/stryker/${part.name}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  concurrency: 2,
  timeoutMS: 20_000,
  thresholds: { high: 95, low: 90, break: 85 },
}
