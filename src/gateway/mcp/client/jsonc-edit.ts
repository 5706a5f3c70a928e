import { type JsoncItem, type JsoncMember, type JsoncNode, parseJsonc } from './jsonc.ts'

/** The keys that lead to a value. */
export type JsonPath = readonly string[]

/** Why a text cannot be edited. */
export class JsoncEditError extends Error {
  override name = 'JsoncEditError'
}

/** The node at this path, if any. */
export function nodeAt(node: JsoncNode, path: JsonPath): JsoncNode | undefined {
  let found: JsoncNode | undefined = node
  for (const key of path) found = found?.kind === 'object' ? memberOf(found, key)?.value : undefined
  return found
}

/** If a key occurs twice, the last one counts, as in `JSON.parse`. */
function memberOf(node: JsoncNode, key: string): JsoncMember | undefined {
  return node.kind === 'object' ? node.members.findLast(member => member.key === key) : undefined
}

/** Sets the value at a path: replaces it, or adds it after the others. The rest of the text stays unchanged. */
export function withValue(text: string, path: JsonPath, value: unknown): string {
  const root = parseJsonc(text)
  const known = nodeAt(root, path)
  const unit = unitOf(text, root)
  if (known) return spliced(text, known.start, known.end, rendered(value, indentAt(text, known.start), unit))
  const parents = path.slice(0, -1)
  const parent = nodeAt(root, parents)
  const key = path.at(-1) as string
  const isNothing = parent?.kind === 'scalar' && parent.value === null
  if (!parent || isNothing) return withValue(text, parents, { [key]: value })
  if (parent.kind !== 'object')
    throw new JsoncEditError(`${parents.join('.') || 'the file'} is not an object`)
  return withNewMember(text, parent, key, value, unit)
}

function withNewMember(
  text: string,
  parent: JsoncNode & { kind: 'object' },
  key: string,
  value: unknown,
  unit: string,
): string {
  const last = parent.members.at(-1)
  const member = (indent: string, step: string) => `${JSON.stringify(key)}: ${rendered(value, indent, step)}`
  if (!last) {
    const outer = indentAt(text, parent.start)
    const inside = text.slice(parent.start + 1, parent.end - 1)
    const kept = inside.trim() === '' ? '' : `${inside.trimEnd()}`
    const made = `{${kept}\n${outer}${unit}${member(`${outer}${unit}`, unit)}\n${outer}}`
    return spliced(text, parent.start, parent.end, made)
  }
  if (!isOnOwnLine(text, last.start)) {
    const at = last.comma === undefined ? last.value.end : last.comma + 1
    const made = last.comma === undefined ? `, ${member('', '')}` : ` ${member('', '')},`
    return spliced(text, at, at, made)
  }
  const indent = indentAt(text, last.start)
  const behind = endOfLine(text, last.comma === undefined ? last.value.end : last.comma + 1)
  const line = `\n${indent}${member(indent, unit)}`
  // Keeps the file's habit of trailing commas.
  if (last.comma !== undefined) return spliced(text, behind, behind, `${line},`)
  return spliced(spliced(text, behind, behind, line), last.value.end, last.value.end, ',')
}

/** Removes a key. */
export function withoutMember(text: string, path: JsonPath): string {
  const root = parseJsonc(text)
  const parent = nodeAt(root, path.slice(0, -1))
  const key = path.at(-1) as string
  const member = parent && memberOf(parent, key)
  if (parent?.kind !== 'object' || !member) return text
  const at = parent.members.indexOf(member)
  return withoutEntry(text, parent, parent.members, at, member.start)
}

/** Inserts texts at the beginning of a list. */
export function withFirstItems(text: string, path: JsonPath, items: readonly string[]): string {
  const list = nodeAt(parseJsonc(text), path)
  if (list?.kind !== 'list') throw new JsoncEditError(`${path.join('.')} is not a list`)
  const words = items.map(item => JSON.stringify(item)).join(', ')
  const isEmpty = list.items.length === 0
  return spliced(text, list.start + 1, list.start + 1, isEmpty ? words : `${words}, `)
}

/** Removes the first items of a list. */
export function withoutFirstItems(text: string, path: JsonPath, count: number): string {
  const list = nodeAt(parseJsonc(text), path)
  if (list?.kind !== 'list') throw new JsoncEditError(`${path.join('.')} is not a list`)
  const last = list.items[count - 1] as JsoncItem
  const next = list.items[count]
  if (!next) return spliced(text, list.start + 1, last.comma ?? last.value.end, '')
  const behind = (last.comma ?? last.value.end) + 1
  return spliced(text, list.start + 1, text[behind] === ' ' ? behind + 1 : behind, '')
}

function withoutEntry(
  text: string,
  parent: JsoncNode,
  entries: readonly JsoncMember[],
  at: number,
  start: number,
): string {
  const { value, comma } = entries[at] as JsoncMember
  if (entries.length === 1) {
    const before = text.slice(parent.start + 1, start)
    const after = text.slice((comma ?? value.end - 1) + 1, parent.end - 1)
    if (`${before}${after}`.trim() === '') return spliced(text, parent.start + 1, parent.end - 1, '')
  }
  const from = isOnOwnLine(text, start) ? text.lastIndexOf('\n', start) : start
  const isLast = at === entries.length - 1
  const previous = entries[at - 1]
  if (!isLast || comma !== undefined || !previous) {
    const end = comma === undefined ? value.end : comma + 1
    return spliced(text, from, from === start && text[end] === ' ' ? end + 1 : end, '')
  }
  const without = spliced(text, from === start ? (previous.comma as number) + 1 : from, value.end, '')
  return spliced(without, previous.comma as number, (previous.comma as number) + 1, '')
}

function spliced(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end)
}

/** Writes a value at an indentation. Lists go on one line, and so does everything if the file has no indentation. */
function rendered(value: unknown, indent: string, unit: string): string {
  if (Array.isArray(value)) return `[${value.map(item => rendered(item, '', '')).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}${unit}`
  const members = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${rendered(each, inner, unit)}`,
  )
  if (members.length === 0) return '{}'
  return unit === '' ? `{ ${members.join(', ')} }` : `{\n${inner}${members.join(`,\n${inner}`)}\n${indent}}`
}

/** The whitespace at the beginning of a line. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? ''
}

function isOnOwnLine(text: string, at: number): boolean {
  return (
    text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '' && text.lastIndexOf('\n', at - 1) !== -1
  )
}

/** The end of the line, if only a comment follows on it. */
function endOfLine(text: string, at: number): number {
  const rest = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*)?(?=\r?\n)/.exec(text.slice(at))
  return rest && rest[0].trim() !== '' ? at + rest[0].length : at
}

/** The file's indentation step. Default two spaces. */
function unitOf(text: string, root: JsoncNode): string {
  const first = root.kind === 'object' ? root.members[0] : undefined
  const unit = first && isOnOwnLine(text, first.start) ? indentAt(text, first.start) : ''
  return unit === '' ? '  ' : unit
}
