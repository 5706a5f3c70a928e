import { defineConfig } from 'rolldown'

// The command as few files: loading its two hundred modules one by one would take most of its running time.
export default defineConfig({
  input: 'src/cli/main.ts',
  platform: 'node',
  external: [/^[^./]/],
  output: {
    dir: 'dist/cli',
    format: 'esm',
    entryFileNames: 'main.js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
  },
})
