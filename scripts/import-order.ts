import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entryPoints } from './entry-points.ts'

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
  'process',
  'provider',
  'call',
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
  'cli',
]

/** Folders that only compute: they import nothing that uses files, processes, clocks or the network. */
const PURE = ['failure', 'option', 'plan', 'verdict']
const ALLOWED_IN_PURE = ['re2js', 'eventsource-parser']

/** The index.ts files that package.json exports, relative to src. */
const ENTRY_POINTS = new Set(
  entryPoints().map(({ file }) => relative(fileURLToPath(new URL('../src', import.meta.url)), file)),
)

export interface ImportFault {
  file: string
  specifier: string
  problem: string
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s*'([^'\n]+)'|(?:^|\n)\s*import\s*'([^'\n]+)'|\bimport\(\s*'([^'\n]+)'/g

/** All imports of a source file, static and dynamic, types included. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORT)].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic) as string)
}

/** The import rules that a file breaks; `file` is relative to src. */
export function faultsOf(file: string, source: string): ImportFault[] {
  const folder = folderOf(file)
  return importsOf(source).flatMap(specifier => {
    const problem = specifier.startsWith('.')
      ? (entryProblem(resolveFrom(file, specifier)) ?? orderProblem(folder, resolveFrom(file, specifier)))
      : purityProblem(folder, specifier)
    return problem === undefined ? [] : [{ file, specifier, problem }]
  })
}

/** Entry points are for users; code inside imports the file that defines a name. */
function entryProblem(target: string): string | undefined {
  if (!ENTRY_POINTS.has(target)) return undefined
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

function purityProblem(folder: string | undefined, specifier: string): string | undefined {
  if (folder === undefined || !PURE.includes(folder) || ALLOWED_IN_PURE.includes(specifier)) return undefined
  return `${folder} is pure: it must not import ${specifier}`
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
