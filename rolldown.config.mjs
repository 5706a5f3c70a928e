import { defineConfig } from 'rolldown'

// The command as few files: loading its two hundred modules one by one would take most of its running time. The lab
// stands outside src, so that its files would not find those of the library where tsc puts them.
export default defineConfig({
  // The reading thread of the ledger is a file of its own, beside the code that starts it.
  input: {
    'cli/main': 'src/cli/main.ts',
    'lab/index': 'lab/index.ts',
    'chunks/reader-thread': 'src/ledger/sqlite/reader-thread.ts',
  },
  platform: 'node',
  external: [/^[^./]/],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
  },
})
