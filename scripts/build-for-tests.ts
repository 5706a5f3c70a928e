import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = '.built'

/** The command as tests start it: from one bundle, because loading the sources takes three quarters of a second each time. */
export const BUILT_COMMAND = join(ROOT, FOLDER, 'mulligan.js')

/** Bundles the command once before the tests of a run. It lies as deep as dist does, so that it finds package.json. */
export default async function buildForTests(): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: {
      'cli/main': 'src/cli/main.ts',
      'chunks/reader-thread': 'src/ledger/sqlite/reader-thread.ts',
    },
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  })
  await bundle.write({
    dir: join(ROOT, FOLDER),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  })
  await bundle.close()
  mkdirSync(join(ROOT, FOLDER), { recursive: true })
  writeFileSync(
    BUILT_COMMAND,
    `if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})
const { main } = await import('./cli/main.js')
await main(process.argv.slice(2))
`,
  )
}
