import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { coreEntryPoints, type EntryPoint, entryPoints } from './entry-points.ts'

type Parsed = ReturnType<typeof parseSync>
type Statement = Parsed['program']['body'][number]
type Declaration = NonNullable<Extract<Statement, { type: 'ExportNamedDeclaration' }>['declaration']>

/** A name that users may import. */
export interface PublicName {
  name: string
  kind: 'function' | 'class' | 'constant' | 'type'
  /** First sentence of its doc comment; empty if it has none. */
  meaning: string
}

/**
 * The names of an entry point, in alphabetical order. Throws on `export *`, which would hide what is exported, unless it
 * repeats an entry point of core.
 */
export function publicNamesOf({ specifier, file }: EntryPoint): readonly PublicName[] {
  const { program } = parsed(file)
  const repeated: PublicName[] = []
  const names = program.body.flatMap(statement => {
    if (statement.type === 'ExportAllDeclaration') {
      const core = resolve(dirname(file), statement.source.value)
      if (coreEntryPoints().some(entry => entry.file === core)) {
        repeated.push(...publicNamesOf({ specifier, file: core }))
        return []
      }
    }
    if (statement.type !== 'ExportNamedDeclaration' || !statement.source)
      throw new Error(`${specifier} may contain only export { name } from 'file'`)
    const target = resolve(dirname(file), statement.source.value)
    return statement.specifiers.map(({ local, exported, exportKind }) => {
      const { kind, meaning } = definitionOf(nameOf(local), target)
      const isType = statement.exportKind === 'type' || exportKind === 'type'
      return { name: nameOf(exported), kind: isType ? ('type' as const) : kind, meaning }
    })
  })
  const all = [...names, ...repeated.filter(({ name }) => !names.some(own => own.name === name))]
  return all.sort((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name))
}

/** docs/reference/library.md: every public name with its meaning. */
export function libraryDocument(): string {
  const core = coreEntryPoints().map(entry => ({ ...entry, names: publicNamesOf(entry) }))
  const isRepeated = ({ file }: EntryPoint) => core.some(entry => entry.file === file)
  const own = entryPoints().map(entry => ({
    ...entry,
    names: isRepeated(entry) ? [] : namesBesides(entry, core),
  }))
  const all = [...core, ...own.filter(({ names }) => names.length > 0)]
  return `${[
    '# Library',
    '',
    'Everything that a program can import. Names that are not listed can change without notice. The guides show how to use them.',
    'All names of `@mulligan/core/…` are also in `mulligan/…`. Generated from the doc comments by `npm run docs`.',
    ...all.flatMap(({ specifier, names }) => [
      '',
      `## ${specifier}`,
      '',
      '| name | | meaning |',
      '|---|---|---|',
      ...names.map(
        ({ name, kind, meaning }) => `| \`${name}\` | ${kind} | ${meaning.replaceAll('|', '\\|')} |`,
      ),
    ]),
  ].join('\n')}\n`
}

/** The names of an entry point of mulligan that are not in the one of core it repeats. */
function namesBesides(
  entry: EntryPoint,
  core: readonly { specifier: string; names: readonly PublicName[] }[],
): readonly PublicName[] {
  const repeated = core.find(
    ({ specifier }) => specifier.replace('@mulligan/core', 'mulligan') === entry.specifier,
  )
  return publicNamesOf(entry).filter(
    ({ name, meaning }) => !repeated?.names.some(known => known.name === name && known.meaning === meaning),
  )
}

/** The first sentence of a doc comment (without its marks), on one line. */
export function firstSentence(comment: string): string {
  const text = comment
    .split('\n')
    .map(line => line.replace(/^\s*\*+ ?/, '').trim())
    .join(' ')
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .trim()
  const end = /\.(?=\s+[A-Z`@]|$)/.exec(text)
  return (end ? text.slice(0, end.index + 1) : text.replace(/\s*@.*$/, '')).replace(/\s+/g, ' ').trim()
}

const files = new Map<string, Parsed & { text: string }>()

function parsed(file: string): Parsed & { text: string } {
  let known = files.get(file)
  if (!known) {
    const text = readFileSync(file, 'utf8')
    known = Object.assign(parseSync(file, text), { text })
    files.set(file, known)
  }
  return known
}

function definitionOf(name: string, file: string): Omit<PublicName, 'name'> {
  const { program, comments, text } = parsed(file)
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const declaration = statement.declaration
    if (!declaration || !namesIn(declaration).includes(name)) continue
    // For an overloaded function, the first declaration counts.
    const above = comments.findLast(({ end }) => end <= statement.start)
    const isDoc =
      above?.type === 'Block' &&
      above.value.startsWith('*') &&
      text.slice(above.end, statement.start).trim() === ''
    return { kind: kindOf(declaration), meaning: isDoc ? firstSentence(above.value) : '' }
  }
  throw new Error(`${file} exports no ${name}`)
}

function namesIn(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : []
}

function kindOf({ type }: Declaration): PublicName['kind'] {
  if (type === 'FunctionDeclaration' || type === 'TSDeclareFunction') return 'function'
  if (type === 'ClassDeclaration') return 'class'
  return type === 'VariableDeclaration' ? 'constant' : 'type'
}

function nameOf(name: { type: string; name?: string; value?: unknown }): string {
  return name.name ?? String(name.value)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
