import { mkdtempSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Folders without state or I/O: their tests share a process, which loads the catalogue once instead of 100 times. */
const PURE = ['src/failure/**/*.test.ts', 'src/verdict/**/*.test.ts', 'corpus/**/*.test.ts']

export default defineConfig({
  resolve: { conditions: ['mulligan-source'] },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: {
    globalSetup: ['scripts/build-for-tests.ts'],
    // One more than there are cores: many tests wait for a process, and another can go on meanwhile. By default one core
    // is left idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false, pool: 'threads' } },
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'examples/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: PURE,
        },
      },
    ],
    setupFiles: ['scripts/property-seed.ts'],
    testTimeout: 60_000,
    env: {
      // Commands that tests start as programs keep their state out of the user's home.
      XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'mulligan-state-')),
      // Programs that tests start from the sources load them compiled after the first one did.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compiled', import.meta.url)),
    },
  },
})
