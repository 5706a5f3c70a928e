import { writeFileSync } from 'node:fs'
import { defineConfig } from 'rolldown'

// The reading thread of the ledger as one text within the library: wherever a user's bundler puts our files, the
// thread comes along. tsc has written a stand-in for it before.
const threadAsText = {
  name: 'thread-as-text',
  generateBundle(_options, bundle) {
    const [{ code }] = Object.values(bundle)
    writeFileSync('dist/ledger/sqlite/thread-text.js', `export const THREAD_TEXT = ${JSON.stringify(code)}\n`)
    for (const name of Object.keys(bundle)) delete bundle[name]
  },
}

export default defineConfig([
  // The command as few files: loading its two hundred modules one by one would take most of its running time. The lab
  // stands outside src, so that its files would not find those of the library where tsc puts them.
  {
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
  },
  {
    input: 'src/ledger/sqlite/reader-thread.ts',
    platform: 'node',
    external: [/^node:/],
    plugins: [threadAsText],
    output: { format: 'cjs', codeSplitting: false, minify: true },
  },
])
