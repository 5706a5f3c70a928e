import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['mulligan-source'] },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: {
    include: [
      'src/**/*.test.ts',
      'lab/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
      'corpus/**/*.test.ts',
    ],
    globalSetup: ['scripts/build-for-tests.ts'],
    setupFiles: ['scripts/property-seed.ts'],
    // By default one core is left idle, which on a machine with two doubles the time.
    maxWorkers: '100%',
    testTimeout: 60_000,
    // Commands that tests start as programs keep their state out of the home of whoever runs the tests.
    env: { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'mulligan-state-')) },
  },
})
