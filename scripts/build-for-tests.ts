import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { BUILT_COMMAND } from '../src/cli/test-command.ts'
import { builtModules } from './built-modules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = dirname(BUILT_COMMAND)

/** Bundles the command once before the tests of a run. It lies as deep as dist does, so that it finds package.json. */
export default async function buildForTests(): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { 'cli/main': 'src/cli/main.ts' },
    platform: 'node',
    external: [/^[^./]/],
    plugins: [builtModules()],
    logLevel: 'silent',
  })
  await bundle.write({
    dir: FOLDER,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  })
  await bundle.close()
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(
    BUILT_COMMAND,
    `if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})
const { main } = await import('./cli/main.js')
await main(process.argv.slice(2))
`,
  )
}
