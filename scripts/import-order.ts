import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coreEntries, entryPoints } from './entry-points.ts'

/**
 * The folders of src in the order in which a failure passes through them, and the lab, which is beside src. A folder
 * imports only from folders above it.
 */
export const FOLDERS = [
  'failure',
  'option',
  'plan',
  'verdict',
  'time',
  'provider',
  'call',
  'sdk',
  'process',
  'shape',
  'config',
  'agent',
  'ledger',
  'engine',
  'capability',
  'queue',
  'workflow',
  'unknown',
  'notice',
  'adapter',
  'gateway',
  'testing',
  'lab',
  'daemon',
  'cli',
]

/** Folders that only compute: they import nothing that uses files, processes, clocks or the network. */
const PURE = ['failure', 'option', 'plan', 'verdict']

/** The folders that are @mulligan/core. They import from each other and from nothing else. */
export const CORE = ['failure', 'option', 'verdict', 'time', 'provider', 'call', 'sdk', 'testing/core']

/** Packages that the build puts into core, so that who installs it installs nothing else. */
const PUT_INTO_CORE = ['re2js', 'eventsource-parser']

/** Whether a file, given relative to src, is part of @mulligan/core. */
export function isCore(file: string): boolean {
  return file === 'core.ts' || CORE.some(folder => file.startsWith(`${folder}/`))
}

/** The index.ts files that package.json exports, relative to src. */
const ENTRY_POINTS = new Set([
  ...entryPoints().map(({ file }) => relative(fileURLToPath(new URL('../src', import.meta.url)), file)),
  ...coreEntries().keys(),
])

export interface ImportFault {
  file: string
  specifier: string
  problem: string
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*'([^'\n]+)'|(?:^|\n)\s*import\s*'([^'\n]+)'|\bimport\(\s*'([^'\n]+)'/g

/** The imports of a source file, types included: all, or only those that are made when it is loaded. */
export function importsOf(source: string, which: 'all' | 'static' = 'all'): string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, from, bare, later]) => {
    const specifier = from ?? bare ?? (which === 'all' ? later : undefined)
    return specifier === undefined ? [] : [specifier]
  })
}

/** The import rules that a file breaks; `file` is relative to src. */
export function faultsOf(file: string, source: string): ImportFault[] {
  return importsOf(source).flatMap(specifier => {
    const problem = specifier.startsWith('.')
      ? targetProblem(file, resolveFrom(file, specifier))
      : packageProblem(file, specifier)
    return problem === undefined ? [] : [{ file, specifier, problem }]
  })
}

function targetProblem(file: string, target: string): string | undefined {
  const problem = entryProblem(file, target) ?? orderProblem(folderOf(file), target)
  if (problem !== undefined || !isCore(file) || isCore(target)) return problem
  return `@mulligan/core must not import from ${target}, which is not in it`
}

/** Entry points are for users; code inside imports the file that defines a name. Those of mulligan repeat those of core. */
function entryProblem(file: string, target: string): string | undefined {
  if (!ENTRY_POINTS.has(target) || (ENTRY_POINTS.has(file) && isCore(target))) return undefined
  return `${target} is an entry point for users: import the file that defines the name`
}

function orderProblem(folder: string | undefined, target: string): string | undefined {
  const targetFolder = folderOf(target)
  if (targetFolder === undefined || folder === undefined || folder === targetFolder) return undefined
  const [from, to] = [FOLDERS.indexOf(folder), FOLDERS.indexOf(targetFolder)]
  if (from < 0) return `folder ${folder} is not in the list of folders`
  if (to < 0) return `folder ${targetFolder} is not in the list of folders`
  return to > from ? `${folder} must not import from ${targetFolder}, which comes after it` : undefined
}

function packageProblem(file: string, specifier: string): string | undefined {
  if (PUT_INTO_CORE.includes(specifier)) return undefined
  const folder = folderOf(file)
  if (folder !== undefined && PURE.includes(folder))
    return `${folder} is pure: it must not import ${specifier}`
  // Node's own are for what only runs there, and the tracing API and the types of the AI SDK are optional peers.
  const isOptional =
    specifier.startsWith('node:') || ['@opentelemetry/api', '@ai-sdk/provider'].includes(specifier)
  return isCore(file) && !isOptional
    ? `@mulligan/core has no dependencies: it must not import ${specifier}`
    : undefined
}

/** The folder of a file; undefined for files directly in src, which only re-export. Files beside src start with `..`. */
function folderOf(file: string): string | undefined {
  const parts = file.split(sep).filter(part => part !== '..')
  return parts.length > 1 ? parts[0] : undefined
}

function resolveFrom(file: string, specifier: string): string {
  return relative(resolve('/src'), resolve('/src', dirname(file), specifier))
}

/** Faults in all sources below a folder, src or one beside it. Tests may import anything. */
export function findFaults(root: string): ImportFault[] {
  const fromSrc = basename(root) === 'src' ? '' : join('..', basename(root))
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(file => faultsOf(join(fromSrc, file), readFileSync(join(root, file), 'utf8')))
}
