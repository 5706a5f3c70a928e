import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RolldownOptions, rolldown } from 'rolldown'
import { core, coreGroups, mulligan } from '../rolldown.config.ts'
import { BUILT_COMMAND, BUILT_PACKAGE, BUILT_PACKAGE_COMMAND } from '../test/cli/command.ts'
import { buildWeb } from './build-web.ts'
import { builtModules, writeBuiltModules } from './built-modules.ts'
import { RUNNERS } from './runner-program.ts'
import { removeTestFolder } from './test-folder.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * What five or more programs share is one file, because loading a file costs each of hundreds of processes more than code
 * that it does not need. The command's own start stays small.
 */
const FEW_FILES = [
  ...coreGroups,
  {
    name: 'start',
    test: /\/src\/(cli\/(command|terminal|real-terminal|flag\/arguments|print\/(escaping-terminal|visible-text))|daemon\/version)\.ts$/,
    priority: 3,
  },
  { name: 'common', minShareCount: 5, priority: 0 },
]

/** Builds the programs that tests start, once before each test run. Returns what cleans up after it. */
export default async function buildForTests(): Promise<() => void> {
  await Promise.all([
    buildPackages(),
    buildCommand(),
    buildDashboard(),
    writeBuiltModules(join(ROOT, '.built', 'modules')),
  ])
  const { MULLIGAN_TEST_FOLDER } = process.env
  return () => {
    if (MULLIGAN_TEST_FOLDER) removeTestFolder(MULLIGAN_TEST_FOLDER)
  }
}

/** Builds the dashboard where `npm start` looks for it, so that the test of `npm start` does not build it again. */
async function buildDashboard(): Promise<void> {
  const folder = join(ROOT, 'dist', 'web')
  await buildWeb(folder)
  const copy = join(dirname(BUILT_COMMAND), 'web')
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
}

/** Builds both packages as published: core is installed where mulligan finds it. */
async function buildPackages(): Promise<void> {
  const installed = join(BUILT_PACKAGE, 'node_modules', '@mulligan', 'core')
  for (const folder of [dirname(BUILT_PACKAGE_COMMAND), installed]) mkdirSync(folder, { recursive: true })
  await Promise.all([buildTo(join(BUILT_PACKAGE, 'dist'), mulligan), buildTo(join(installed, 'dist'), core)])
  for (const file of ['package.json', 'bin/mulligan.js'])
    copyFileSync(join(ROOT, file), join(BUILT_PACKAGE, file))
  copyFileSync(join(ROOT, 'packages/core/package.json'), join(installed, 'package.json'))
}

async function buildTo(dir: string, { output, ...input }: typeof core | typeof mulligan): Promise<void> {
  const bundle = await rolldown({ ...input, cwd: ROOT, logLevel: 'silent' } as RolldownOptions)
  await bundle.write({ ...output, dir, chunkFileNames: 'chunks/[name].js' })
  await bundle.close()
}

/** Bundles the command with its dependencies, because tests start hundreds, and loading would take half their time. */
async function buildCommand(): Promise<void> {
  const bundle = await rolldown({
    platform: 'node',
    plugins: [builtModules()],
    input: {
      'cli/main': 'src/cli/main.ts',
      'cli/demo-capabilities': 'src/cli/develop/demo-capabilities.ts',
      'unknown/backtest-thread': 'src/unknown/backtest-thread.ts',
      clock: 'test/cli/clock.ts',
      modules: 'test/cli/modules.ts',
      'every-command': 'test/cli/every-command.ts',
      ...Object.fromEntries(RUNNERS.map(name => [name, `scripts/${name}.ts`])),
    },
    // An optional dependency that these tests never load.
    external: [/^node:/, 'pg-native'],
    cwd: ROOT,
    logLevel: 'silent',
  })
  await bundle.write({
    ...mulligan.output,
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
