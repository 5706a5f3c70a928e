import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongFirst } from './scripts/long-first.ts'
import { makeTestFolder } from './scripts/test-folder.ts'

/** Folders without state or I/O: their tests share a process, which loads the catalogue once instead of 100 times. */
const PURE = ['src/failure/**/*.test.ts', 'src/verdict/**/*.test.ts', 'corpus/**/*.test.ts']

/**
 * Files that need a process of their own, because they listen to signals, change what is global or count what is left
 * behind. All others take turns in a few processes: loading everything for each file took more than half of their time.
 */
const OWN = [
  'src/process/{environment,run,stragglers}.test.ts',
  'src/adapter/pages.test.ts',
  'src/adapter/{bullmq,graphile-worker,pg-boss,opencode}/*.test.ts',
  'src/surface.test.ts',
  'scripts/{bundle,crash,old-node,receiver,snippets,soak}.test.ts',
  'web/test/**/*.test.ts',
]

const NEVER = configDefaults.exclude

/** Room for young objects, because most of what a test makes dies with it: fewer collections take 5 % less of the processor. */
const ROOMY = ['--max-semi-space-size=64']

/** One for all, although each project loads this file; `build-for-tests.ts` removes it. */
process.env.MULLIGAN_TEST_FOLDER ??= makeTestFolder()
const FOLDER = process.env.MULLIGAN_TEST_FOLDER

/**
 * The sources are loaded by Node itself, which runs them as users get them: through Vite, making and calling every module
 * took a quarter of the processor. No test replaces a module.
 */
const SOURCES = [
  '--conditions=mulligan-source',
  '--import',
  new URL('scripts/load-built.mjs', import.meta.url).href,
]
const NATIVE = { experimental: { viteModuleRunner: false, nodeLoader: false } }

export default defineConfig({
  test: {
    ...NATIVE,
    globalSetup: ['scripts/build-for-tests.ts'],
    // Three more than there are cores: many tests wait for processes and servers, and others use the cores meanwhile. By
    // default one core is left idle.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: PURE, isolate: false, pool: 'threads', execArgv: SOURCES },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{src,web/src,lab,scripts}/**/*.test.ts'],
          exclude: [...NEVER, ...PURE, ...OWN],
          isolate: false,
          pool: 'forks',
          execArgv: [...SOURCES, ...ROOMY],
        },
      },
      {
        extends: true,
        test: { name: 'own', include: OWN, exclude: NEVER, pool: 'forks', execArgv: [...SOURCES, ...ROOMY] },
      },
    ],
    setupFiles: ['scripts/property-seed.ts'],
    // A second try in CI only, and the report names who needed it: with 12,000 tests, hundreds of real processes and a
    // machine shared with others, one hiccup must not hide the result of all. Whoever needed it has a defect to mend.
    retry: process.env.CI === 'true' ? 1 : 0,
    // Generous, because a busy machine is no reason to fail: tests wait for what must happen, however long it takes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    env: {
      // Commands that tests start as programs keep their state out of the user's home.
      XDG_STATE_HOME: join(FOLDER, 'state'),
      TMPDIR: FOLDER,
      // Programs that tests start from the sources load them compiled after the first one did.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compiled', import.meta.url)),
    },
  },
})
