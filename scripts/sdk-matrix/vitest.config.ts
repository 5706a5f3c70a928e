import { defineConfig } from 'vitest/config'

// The wrappers with the real packages, against the lab: `npm run sdk:matrix` runs them first.
export default defineConfig({
  resolve: { conditions: ['mulligan-source'] },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: {
    include: ['scripts/sdk-matrix/**/*.check.ts'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 60_000,
  },
})
