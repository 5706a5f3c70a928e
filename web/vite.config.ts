import { defineConfig } from 'vite'

/** The dashboard: one page, one script, one style sheet, all served by the daemon itself. */
export default defineConfig({
  base: '/',
  // Without `development: false`, tests would get another script, with the file and line of every element in it.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The polyfill would be an inline script, which the daemon forbids.
    modulePreload: { polyfill: false },
    // Icons as data: addresses in the style sheet would not be cached with it any better.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
