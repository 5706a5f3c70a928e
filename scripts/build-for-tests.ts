import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import config from '../rolldown.config.ts'
import { BUILT_COMMAND, BUILT_PACKAGE } from '../src/cli/test-command.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Builds the package once before the tests of a run, with the command as tests start it. */
export default async function buildForTests(): Promise<void> {
  const { output, ...input } = config
  const bundle = await rolldown({ ...input, cwd: ROOT, logLevel: 'silent' })
  await bundle.write({ ...output, dir: dirname(BUILT_COMMAND), chunkFileNames: 'chunks/[name].js' })
  await bundle.close()
  mkdirSync(BUILT_PACKAGE, { recursive: true })
  copyFileSync(join(ROOT, 'package.json'), join(BUILT_PACKAGE, 'package.json'))
  writeFileSync(
    BUILT_COMMAND,
    `if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})
const { main } = await import('./cli/main.js')
await main(process.argv.slice(2))
`,
  )
}
