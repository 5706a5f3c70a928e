import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import config from '../rolldown.config.ts'
import { BUILT_COMMAND, BUILT_PACKAGE, BUILT_PACKAGE_COMMAND } from '../src/cli/test-command.ts'
import { buildWeb } from './build-web.ts'
import { RUNNERS } from './runner-program.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { output, ...input } = config

/**
 * What five or more programs share is one file, because loading a file costs each of hundreds of processes more than code
 * that it does not need. The command's own start stays small.
 */
const FEW_FILES = [
  ...output.codeSplitting.groups,
  { name: 'start', test: /\/src\/cli\/(arguments|escaping-terminal|version|visible-text)\.ts$/, priority: 3 },
  { name: 'common', minShareCount: 5, priority: 0 },
]

/** Builds the programs that tests start, once before each test run. */
export default async function buildForTests(): Promise<void> {
  await Promise.all([buildPackage(), buildCommand(), buildDashboard()])
}

/** Builds the dashboard where `npm start` looks for it, so that the test of `npm start` does not build it again. */
async function buildDashboard(): Promise<void> {
  const folder = join(ROOT, 'dist', 'web')
  await buildWeb(folder)
  const copy = join(dirname(BUILT_COMMAND), 'web')
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
}

/** Builds the package as published. */
async function buildPackage(): Promise<void> {
  const bundle = await rolldown({ ...input, cwd: ROOT, logLevel: 'silent' })
  await bundle.write({ ...output, dir: join(BUILT_PACKAGE, 'dist'), chunkFileNames: 'chunks/[name].js' })
  await bundle.close()
  mkdirSync(dirname(BUILT_PACKAGE_COMMAND), { recursive: true })
  for (const file of ['package.json', 'bin/mulligan.js'])
    copyFileSync(join(ROOT, file), join(BUILT_PACKAGE, file))
}

/** Bundles the command with its dependencies, because tests start hundreds, and loading would take half their time. */
async function buildCommand(): Promise<void> {
  const bundle = await rolldown({
    ...input,
    input: {
      'cli/main': 'src/cli/main.ts',
      'cli/demo-capabilities': 'src/cli/demo-capabilities.ts',
      'unknown/backtest-thread': 'src/unknown/backtest-thread.ts',
      clock: 'src/cli/test-clock.ts',
      modules: 'src/cli/test-modules.ts',
      ...Object.fromEntries(RUNNERS.map(name => [name, `scripts/${name}.ts`])),
    },
    // An optional dependency that these tests never load.
    external: [/^node:/, 'pg-native'],
    cwd: ROOT,
    logLevel: 'silent',
  })
  await bundle.write({
    ...output,
    codeSplitting: { groups: FEW_FILES },
    dir: dirname(BUILT_COMMAND),
    chunkFileNames: 'chunks/[name].js',
  })
  await bundle.close()
  copyFileSync(join(ROOT, 'package.json'), join(dirname(BUILT_COMMAND), '..', 'package.json'))
  writeFileSync(
    BUILT_COMMAND,
    `if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})
const { main } = await import('./cli/main.js')
await main(process.argv.slice(2))
`,
  )
}
