import { readFileSync } from 'node:fs'
import type { RolldownOptions } from 'rolldown'
import { asciiOnly } from './scripts/ascii.ts'
import { builtModules } from './scripts/built-modules.ts'
import {
  coreAsPackage,
  internalEntries,
  internalModules,
  packageGroup,
  partOf,
} from './scripts/core-package.ts'
import { coreEntries } from './scripts/entry-points.ts'
import { latePatterns } from './scripts/late-patterns.ts'

type Entry = string | { default: string; 'mulligan-source': string }

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, Entry>
}

/** Every entry of the package, by where it lies in dist: { 'queue/index': 'src/queue/index.ts', … } */
const entries = Object.fromEntries(
  Object.values(exports)
    .filter((entry): entry is Exclude<Entry, string> => typeof entry === 'object')
    .map(entry => [entry.default.slice('./dist/'.length, -'.js'.length), entry['mulligan-source'].slice(2)]),
)

/**
 * At the top of every file, so an older Node is refused by one sentence, whatever is imported. Browsers have no such version,
 * and other runtimes state one of their own. `isTooOld` is about the numbers `major` and `minor`.
 */
const nodeCheck = (isTooOld: string) => `{
  const { node: version, bun, deno } = globalThis.process?.versions ?? {}
  const [major, minor] = (version ?? '99.0').split('.').map(Number)
  if (!bun && !deno && (${isTooOld}))
    throw new Error(\`Mulligan needs Node 22.20, 24.7 or newer, and this is Node \${version}\`)
}`

/** Core does without SQLite, whose numbered parameters the versions from here to those named cannot bind. */
const CORE_CHECK = nodeCheck('major < 22 || (major === 22 && minor < 18)')
const CHECK = nodeCheck(
  'major < 22 || major === 23 || (major === 22 && minor < 20) || (major === 24 && minor < 7)',
)

const OUTPUT = {
  format: 'esm',
  // Less to read for V8. Lines and the names of functions and classes stay, so that stack traces can be read.
  minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
} as const

/**
 * What is mostly loaded together is one file, because loading hundreds of modules one by one would take most of the time
 * that a program needs to start.
 */
export const coreGroups = [
  // The command asks for the nearest word before it loads anything else, and all that it prints is redacted.
  { name: 'option', test: /\/src\/option\//, priority: 3 },
  { name: 'redact', test: /\/src\/failure\/redact\.ts$/, priority: 3 },
  // The matcher for operators' patterns is large, and most failures are classified without one.
  { name: 'signature', test: apart('signature'), priority: 3, includeDependenciesRecursively: false },
  { name: 'matcher', test: /\/node_modules\/re2js\//, priority: 4 },
  // Only `mulligan explain` asks why a rule exists.
  { name: 'reasons', test: apart('reasons'), priority: 3, includeDependenciesRecursively: false },
  { name: 'failure', test: /\/src\/failure\/(?!index)/, priority: 2 },
  { name: 'verdict', test: /\/src\/verdict\/(?!index)/, priority: 2 },
  { name: 'time', test: /\/src\/time\//, priority: 2 },
  { name: 'call', test: /\/src\/(provider|call)\/(?!index)/, priority: 1 },
]

function apart(part: string): (id: string) => boolean {
  return id => id.includes('/src/') && partOf(id.slice(id.lastIndexOf('/src/') + 5)) === part
}

/** The package @mulligan/core, which depends on no other. */
export const core = {
  input: {
    ...Object.fromEntries([...coreEntries().keys()].map(file => [file.replace(/\.ts$/, ''), `src/${file}`])),
    ...internalEntries(),
  },
  platform: 'neutral',
  resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
  external: [/^node:/, '@opentelemetry/api'],
  plugins: [builtModules(), internalModules(), latePatterns(), asciiOnly()],
  output: {
    ...OUTPUT,
    banner: CORE_CHECK,
    dir: 'packages/core/dist',
    comments: { jsdoc: false, annotation: true, legal: true },
    codeSplitting: { groups: coreGroups },
  },
} satisfies RolldownOptions

const mulliganGroups = [
  { name: 'zod', test: /\/node_modules\/zod\//, priority: 3 },
  // What every command loads before it is chosen, and what classifying needs besides, stay small.
  {
    name: 'start',
    test: /\/src\/(cli\/([\w-]+|flag\/arguments|print\/(escaping-terminal|system-error|visible-text))|daemon\/version)\.ts$/,
    priority: 2,
  },
  {
    name: 'input',
    test: /\/src\/(cli\/(develop\/(input|http-response|labelled-signatures)|flag\/(file|flags)|print\/print-json)|daemon\/words\/failure-words|config\/discover)\.ts$/,
    priority: 2,
  },
  // All of mulligan that a program loads which only makes calls.
  { name: 'node-health', test: /\/src\/process\/node-health\.ts$/, priority: 2 },
  // What `mulligan status` loads besides, because hooks and scripts call it often.
  {
    name: 'status',
    test: /\/src\/(queue\/(cron-status|size-samples|status-json|status-shape)|daemon\/words\/(in-numbers|schedule-words|size-words|proxy-words)|cli\/(queue\/status|operate\/(ledger-size|provider-words))|ledger\/bill-shape|shape\/provider|gateway\/(proxy\/(proxy-status|ask-proxy|control|files|decoded|upstream-answer|headers|deliver|hold-shape)|http\/(address-file|token-files))|config\/create-whole|process\/is-running)\.ts$/,
    priority: 2,
    includeDependenciesRecursively: false,
  },
  // What most commands load is one file.
  { name: 'common', minShareCount: 8, priority: 1 },
]

/** The package mulligan: library, command and lab as few files that share what they have in common. */
export const mulligan = {
  input: {
    ...entries,
    'cli/main': 'src/cli/main.ts',
    // Loaded by their paths: as modules of users are, and as the program of a thread.
    'cli/demo-capabilities': 'src/cli/develop/demo-capabilities.ts',
    'unknown/backtest-thread': 'src/unknown/backtest-thread.ts',
  },
  platform: 'node',
  // zod is a hundred files, of which our schemas need some. Schemas of users may be of their own copy.
  external: [/^(?!zod$|zod\/|smol-toml$|croner$)[^./\0]/],
  plugins: [coreAsPackage(), builtModules(), latePatterns(), asciiOnly()],
  output: {
    ...OUTPUT,
    banner: CHECK,
    dir: 'dist',
    codeSplitting: { groups: [packageGroup, ...mulliganGroups] },
  },
} satisfies RolldownOptions

export default [core, mulligan]
