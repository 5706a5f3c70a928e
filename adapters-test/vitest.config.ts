import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    conditions: ['mulligan-source'],
    alias: [
      // Examples of the pages import what users import.
      {
        find: /^mulligan\/(.+)$/,
        replacement: fileURLToPath(new URL('../src/adapter/$1/index.ts', import.meta.url)),
      },
      { find: /^workflow$/, replacement: '@workflow/core' },
    ],
  },
  ssr: { resolve: { conditions: ['mulligan-source'] } },
  test: { include: ['*.test.ts'], testTimeout: 60_000 },
})
