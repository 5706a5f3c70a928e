import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['mulligan-source'] },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'scripts/**/*.test.ts', 'corpus/**/*.test.ts'],
    testTimeout: 60_000,
  },
})
