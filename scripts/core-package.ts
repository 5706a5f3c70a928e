import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RolldownPlugin } from 'rolldown'
import { parseSync } from 'rolldown/utils'
import { coreEntries } from './entry-points.ts'
import { importsOf, isCore } from './import-order.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const LAB = fileURLToPath(new URL('../lab', import.meta.url))

/**
 * Which file of the built core a source is in. What is loaded together is one file; some are apart, because most programs
 * never need them.
 */
export function partOf(file: string): string {
  if (/^failure\/redact\.ts$/.test(file)) return 'redact'
  // The matcher for operators' patterns is large, and most failures are classified without one.
  if (/^failure\/signature(-map|-pattern|-error)?\.ts$/.test(file)) return 'signature'
  // Only `mulligan explain` asks why a rule exists.
  if (/^failure\/(explain|catalogue\/reasons)\.ts$/.test(file)) return 'reasons'
  const [folder = ''] = file.split('/')
  return folder === 'provider' ? 'call' : folder
}

/** The names that a module exports as values. */
function valuesOf(file: string): string[] {
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  return program.body.flatMap(statement => {
    if (statement.type === 'ExportAllDeclaration') throw new Error(`${file} exports *, which hides its names`)
    if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type') return []
    const { declaration } = statement
    if (declaration?.type === 'VariableDeclaration')
      return declaration.declarations.map(({ id }) => (id as { name: string }).name)
    if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration')
      return declaration.id ? [declaration.id.name] : []
    return statement.specifiers.flatMap(({ exported, exportKind }) =>
      exportKind === 'type' ? [] : [(exported as { name: string }).name],
    )
  })
}

const sourcesIn = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map(file => join(root, file))

/** The files of core that other folders use, by the part that they are in. */
function usedParts(): Map<string, string[]> {
  const used = new Set(
    [...sourcesIn(SRC), ...sourcesIn(LAB)]
      .filter(file => !isCore(relative(SRC, file)))
      .flatMap(file =>
        importsOf(readFileSync(file, 'utf8'))
          .filter(specifier => specifier.startsWith('.'))
          .map(specifier => relative(SRC, resolve(dirname(file), specifier))),
      )
      .filter(file => isCore(file) && !coreEntries().has(file)),
  )
  return Map.groupBy([...used].sort(), partOf) as Map<string, string[]>
}

/** A name that is unique in its part. */
const inPart = (file: string, name: string) => `${file.replace(/\.ts$/, '').replaceAll(/\W/g, '_')}$${name}`

const VIRTUAL = '\0mulligan-core:'

/** The modules that only the package `mulligan` may import: `@mulligan/core/internal/failure`, … */
export function internalEntries(): Record<string, string> {
  return Object.fromEntries([...usedParts().keys()].map(part => [`internal/${part}`, `${VIRTUAL}${part}`]))
}

/** Makes the internal modules of core. */
export function internalModules(): RolldownPlugin {
  const parts = usedParts()
  return {
    name: 'internal-modules',
    resolveId: id => (id.startsWith(VIRTUAL) ? id : undefined),
    load(id) {
      if (!id.startsWith(VIRTUAL)) return undefined
      return (parts.get(id.slice(VIRTUAL.length)) ?? [])
        .flatMap(file => {
          const names = valuesOf(join(SRC, file)).map(name => `${name} as ${inPart(file, name)}`)
          return names.length > 0
            ? [`export { ${names.join(', ')} } from ${JSON.stringify(join(SRC, file))}`]
            : []
        })
        .join('\n')
    },
  }
}

/** One file of mulligan for each part of core, with the names under which mulligan knows them. */
export const packageGroup = {
  name: (id: string) => (id.startsWith(VIRTUAL) ? `core-${partOf(id.slice(VIRTUAL.length))}` : null),
  test: (id: string) => id.startsWith(VIRTUAL) && !coreEntries().has(id.slice(VIRTUAL.length)),
  includeDependenciesRecursively: false,
  priority: 5,
}

/** Takes the files of core from the package @mulligan/core, so that a program has one copy of them. */
export function coreAsPackage(): RolldownPlugin {
  const entries = coreEntries()
  return {
    name: 'core-as-package',
    resolveId(id, importer) {
      if (importer !== undefined && !id.startsWith('.')) return undefined
      const target = relative(SRC, importer === undefined ? resolve(id) : resolve(dirname(importer), id))
      return isCore(target) ? `${VIRTUAL}${target}` : undefined
    },
    load(id) {
      if (!id.startsWith(VIRTUAL)) return undefined
      const file = id.slice(VIRTUAL.length)
      const entry = entries.get(file)
      if (entry !== undefined) return `export * from ${JSON.stringify(entry)}`
      const names = valuesOf(join(SRC, file)).map(name => `${inPart(file, name)} as ${name}`)
      return names.length > 0
        ? `export { ${names.join(', ')} } from "@mulligan/core/internal/${partOf(file)}"`
        : 'export {}'
    },
  }
}
