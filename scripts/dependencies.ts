// What a user installs with `mulligan`: the tree of its dependencies, each with its size and what it brings. `npm run sizes`.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

export interface Dependency {
  name: string
  version: string
  /** Of its own files. */
  bytes: number
  /** Each is here once in the whole tree: where it comes first. */
  brings: readonly Dependency[]
}

/** The dependencies of the package in a folder, as Node would find them. */
export function dependenciesOf(folder: string, seen = new Set<string>()): Dependency[] {
  const { dependencies = {} } = manifestIn(folder)
  return Object.keys(dependencies).flatMap(name => {
    const place = placeOf(name, folder)
    if (seen.has(place)) return []
    seen.add(place)
    const { version } = manifestIn(place)
    return [{ name, version, bytes: bytesIn(place), brings: dependenciesOf(place, seen) }]
  })
}

/** With all that it brings. */
export function totalOf({ bytes, brings }: Dependency): number {
  return brings.reduce((sum, inner) => sum + totalOf(inner), bytes)
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function placeOf(name: string, from: string): string {
  const place = join(from, 'node_modules', name)
  if (existsSync(join(place, 'package.json'))) return place
  if (dirname(from) === from) throw new Error(`${name} is not installed: run npm ci`)
  return placeOf(name, dirname(from))
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map(entry => join(folder, entry.name))
    .reduce((sum, path) => {
      const stat = statSync(path)
      return sum + (stat.isDirectory() ? bytesIn(path) : stat.size)
    }, 0)
}

function print(dependency: Dependency, depth: number): void {
  const size = `${Math.ceil(totalOf(dependency) / 1024).toLocaleString('en')} kB`
  process.stdout.write(
    `${size.padStart(10)}  ${'  '.repeat(depth)}${dependency.name} ${dependency.version}\n`,
  )
  for (const inner of dependency.brings) print(inner, depth + 1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = dependenciesOf(fileURLToPath(new URL('..', import.meta.url)))
  const sorted = all.toSorted((a, b) => totalOf(b) - totalOf(a))
  for (const dependency of sorted) print(dependency, 0)
  const count = (some: readonly Dependency[]): number =>
    some.reduce((sum, { brings }) => sum + 1 + count(brings), 0)
  const bytes = all.reduce((sum, dependency) => sum + totalOf(dependency), 0)
  process.stdout.write(`${Math.ceil(bytes / 1024).toLocaleString('en')} kB in ${count(all)} packages\n`)
}
