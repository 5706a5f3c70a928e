import type { z } from 'zod'
import { nearest } from '../option/nearest.ts'
import { fileSchema } from './schema/config.ts'
import { nodeAt, nodeOf } from './schema/node.ts'
import { type Path, pathText } from './toml/position.ts'

/** Options of agent CLIs that are often taken for keys of a provider, whose table calls them its defaults. */
const CLI_OPTIONS = new Set([
  'model',
  'effort',
  'max_turns',
  'max_budget_usd',
  'permission_mode',
  'system_prompt',
])

/** A mistake, without its position yet. */
export interface Mistake {
  path: Path
  message: string
}

/**
 * Turns zod's issues into our messages: one mistake per unknown key, and the fix for each bad value.
 * @param within the path of the parsed part, if not everything was parsed
 */
export function mistakesOf(error: z.ZodError, written: unknown, within: Path = []): Mistake[] {
  return error.issues.flatMap(issue => {
    const path = [...within, ...(issue.path as Path)]
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({ path: [...path, key], message: unknownKey(path, key, written) }))
    return [{ path, message: `${subjectOf(path, written)} ${issue.message}` }]
  })
}

function unknownKey(path: Path, key: string, written: unknown): string {
  const root = nodeOf(fileSchema)
  const node = nodeAt(root, path)
  const known = node?.kind === 'table' ? [...node.fields.keys()] : []
  const what = path.length === 0 ? 'table or key' : 'key'
  const where = path.length === 0 ? '' : ` in ${subjectOf(path, written)}`
  return `unknown ${what} ${JSON.stringify(key)}${where}; ${remedyFor(path, key, known)}`
}

function remedyFor(path: Path, key: string, known: readonly string[]): string {
  const newer =
    path[0] === 'providers' ? nodeAt(nodeOf(fileSchema), ['provider', ...path.slice(1)]) : undefined
  if (newer?.kind === 'table' && newer.fields.has(key)) return 'use the newer layout [[provider]] for it'
  if (path[0] === 'provider' && path.length === 2 && CLI_OPTIONS.has(key))
    return `write it as defaults = { ${key} = … }`
  const guess = nearest(key, known)
  if (guess !== undefined) return `did you mean ${JSON.stringify(guess)}?`
  const elsewhere = path.length === 0 ? [] : tablesWith(key)
  const hint = elsewhere.length === 0 ? '' : `it belongs in ${elsewhere.join(' or ')}; `
  return `${hint}known: ${known.join(', ')}`
}

/** Top-level tables that have the key: it may be under the wrong header. */
function tablesWith(key: string): string[] {
  const root = nodeOf(fileSchema)
  if (root.kind !== 'table') return []
  return [...root.fields.values()].flatMap(({ key: table, node }) => {
    const [inner, title] = node.kind === 'list' ? [node.item, `[[${table}]]`] : [node, `[${table}]`]
    return inner.kind === 'table' && inner.fields.has(key) && table !== 'providers' ? [title] : []
  })
}

/** A value as the subject of a sentence: `provider "claude": caps[1].usd`. */
export function subjectOf(path: Path, written: unknown): string {
  const [table, index] = path
  if (typeof table !== 'string' || typeof index !== 'number') return pathText(path)
  const entry = (written as Record<string, unknown[]>)[table]?.[index]
  const { id, name } = (entry ?? {}) as { id?: unknown; name?: unknown }
  const called = typeof id === 'string' ? id : name
  const title = table === 'providers' ? 'provider' : table
  const owner = typeof called === 'string' ? `${title} ${JSON.stringify(called)}` : `${table}[${index}]`
  return path.length === 2 ? owner : `${owner}: ${pathText(path.slice(2))}`
}
