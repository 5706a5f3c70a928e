import { defineConfig } from 'rolldown'

// The command as few files: loading its two hundred modules one by one would take most of its running time.
export default defineConfig({
  // The reading thread of the ledger is a file of its own, beside the code that starts it.
  input: { main: 'src/cli/main.ts', 'reader-thread': 'src/ledger/sqlite/reader-thread.ts' },
  platform: 'node',
  external: [/^[^./]/],
  output: {
    dir: 'dist/cli',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
})
