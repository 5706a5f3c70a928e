// Divides the declarations that tsc wrote to dist/types between the two packages. Those of core move to packages/core, and
// mulligan refers to them by the package's name, so that a class of core is one class for the compiler too.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coreEntries, entryPoints } from './entry-points.ts'
import { isCore } from './import-order.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SPECIFIER = /((?:from|import)\s*\(?\s*)(['"])(\.[^'"]+)\2/g

/** The declarations below a folder, by path relative to the repository's root. */
function declarationsIn(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.d.ts'))
      .map(file => [file, readFileSync(join(folder, file), 'utf8')]),
  )
}

/** The declaration that a specifier in a file means. */
function targetOf(file: string, specifier: string): string {
  return relative('/', resolve('/', dirname(file), specifier)).replace(/\.[jt]s$/, '.d.ts')
}

/** All declarations that can be reached from some, through relative imports. */
function reachable(all: ReadonlyMap<string, string>, from: Iterable<string>): Set<string> {
  const seen = new Set<string>()
  const queue = [...from]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    const text = all.get(file)
    if (seen.has(file) || text === undefined) continue
    seen.add(file)
    for (const [, , , specifier] of text.matchAll(SPECIFIER)) queue.push(targetOf(file, specifier as string))
  }
  return seen
}

const inCore = (file: string) => file.startsWith('src/') && isCore(file.slice(4).replace('.d.ts', '.ts'))

/** Divides the declarations below `types`; those of core are written below `coreTypes`. */
export function splitTypes(types: string, coreTypes: string): void {
  const all = declarationsIn(types)
  const entries = coreEntries()
  const declared = (file: string) => relative(ROOT, file).replace(/\.ts$/, '.d.ts')
  const wanted = [
    ...entryPoints().map(({ file }) => declared(file)),
    ...[...entries.keys()].map(file => `src/${file.replace(/\.ts$/, '.d.ts')}`),
  ]
  const used = reachable(all, wanted)
  rmSync(types, { recursive: true })
  rmSync(coreTypes, { recursive: true, force: true })
  for (const file of used) {
    const text = all.get(file) as string
    if (!inCore(file)) write(join(types, file), text.replaceAll(SPECIFIER, byPackage(file, entries)))
    else write(join(coreTypes, file.slice(4)), text)
  }
  // An entry point of mulligan that is one of core's says only that.
  for (const { file } of entryPoints()) {
    const entry = entries.get(relative(join(ROOT, 'src'), file))
    if (entry !== undefined) write(join(types, declared(file)), `export * from '${entry}';\n`)
  }
}

function byPackage(file: string, entries: ReadonlyMap<string, string>) {
  return (whole: string, before: string, quote: string, specifier: string) => {
    const target = targetOf(file, specifier)
    if (!inCore(target)) return whole
    const source = target.slice(4).replace('.d.ts', '.ts')
    const name = entries.get(source) ?? `@mulligan/core/internal/${source.replace(/\.ts$/, '')}`
    return `${before}${quote}${name}${quote}`
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const types = join(ROOT, 'dist', 'types')
  if (!existsSync(types)) throw new Error('dist/types is missing: run tsc -p tsconfig.build.json first')
  splitTypes(types, join(ROOT, 'packages', 'core', 'dist', 'types'))
}
