import { readFileSync } from 'node:fs'
import type { RolldownOptions } from 'rolldown'
import { builtModules } from './scripts/built-modules.ts'

type Entry = string | { default: string; 'mulligan-source': string }

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, Entry>
}

/** Every entry of the package, by where it lies in dist: { 'call/index': 'src/call/index.ts', … } */
const entries = Object.fromEntries(
  Object.values(exports)
    .filter((entry): entry is Exclude<Entry, string> => typeof entry === 'object')
    .map(entry => [entry.default.slice('./dist/'.length, -'.js'.length), entry['mulligan-source'].slice(2)]),
)

/** At the top of every file, so an older Node is refused by one sentence, whatever is imported. Browsers have no such version. */
const NODE_CHECK = `{
  const version = globalThis.process?.versions?.node
  const [major, minor] = (version ?? '99.0').split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18))
    throw new Error(\`Mulligan needs Node 22.18 or newer, and this is Node \${version}\`)
}`

// Library, command and lab as few files that share what they have in common: loading hundreds of modules one by one
// would take most of the time that a program needs to start.
const config = {
  input: {
    ...entries,
    'cli/main': 'src/cli/main.ts',
    // Loaded by their paths: as modules of users are, and as the program of a thread.
    'cli/demo-capabilities': 'src/cli/demo-capabilities.ts',
    'unknown/backtest-thread': 'src/unknown/backtest-thread.ts',
  },
  platform: 'node',
  // The reader of event streams is part of classifying, which loads no package.
  external: [/^(?!eventsource-parser$)[^./]/],
  plugins: [builtModules()],
  output: {
    dir: 'dist',
    format: 'esm',
    banner: NODE_CHECK,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // What is mostly loaded together is one file; redacting is its own, because all that the command prints passes it.
    codeSplitting: {
      groups: [
        // The command asks for the nearest word before it loads anything else.
        { name: 'option', test: /\/src\/option\//, priority: 3 },
        { name: 'redact', test: /\/src\/failure\/redact\.ts$/, priority: 3 },
        {
          // The matcher for operators' patterns is large, and most failures are classified without one.
          name: 'signature',
          test: /\/src\/failure\/signature(-map|-pattern)?\.ts$/,
          priority: 3,
          includeDependenciesRecursively: false,
        },
        // Only `mulligan explain` asks why a rule exists.
        {
          name: 'reasons',
          test: /\/src\/failure\/(explain|catalogue\/reasons)\.ts$/,
          priority: 3,
          includeDependenciesRecursively: false,
        },
        { name: 'failure', test: /\/src\/failure\/(?!index)/, priority: 2 },
        { name: 'verdict', test: /\/src\/verdict\/(?!index)/, priority: 2 },
        { name: 'call', test: /\/src\/(provider|call)\/(?!index)/, priority: 1 },
      ],
    },
  },
} satisfies RolldownOptions

export default config
