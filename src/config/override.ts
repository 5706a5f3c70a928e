import { nearest } from '../option/nearest.ts'
import type { Problem } from './error.ts'
import type { Origin } from './origin.ts'
import { TABLES } from './schema/config.ts'
import { type Field, type Node, nodeOf } from './schema/node.ts'

/** A value from outside the file, which overrides it. */
export interface Override {
  table: string
  key: string
  value: unknown
  origin: Origin
}

/** Values given by flags of a command: `{'queue.data': {flag: '--data', value: '/srv'}}`. */
export type FlagValues = Readonly<Record<string, { flag: string; value: unknown }>>

const PREFIX = 'MULLIGAN_'

/**
 * Values from the environment: `MULLIGAN_QUEUE_CONCURRENCY=2` is `[queue] concurrency = 2`. Works for every key of a table that
 * occurs once, except lists and tables.
 */
export function environmentOverrides(env: Readonly<Record<string, string | undefined>>): {
  overrides: Override[]
  problems: Problem[]
} {
  const overrides: Override[] = []
  const problems: Problem[] = []
  const variables = Object.entries(env).filter(([name]) => name.startsWith(PREFIX))
  for (const [table, schema] of Object.entries(TABLES)) {
    const prefix = `${PREFIX}${table.toUpperCase()}_`
    if (!variables.some(([name]) => name.startsWith(prefix))) continue
    const node = nodeOf(schema)
    // A variable can name the keys of a table only if that occurs once.
    if (node.kind !== 'table') continue
    const simple = [...node.fields.values()].filter(field => field.node.kind === 'value')
    const known = new Map(simple.map(field => [`${prefix}${field.key.toUpperCase()}`, field]))
    for (const [variable, text] of variables) {
      if (!variable.startsWith(prefix) || text === undefined || text === '') continue
      const field = known.get(variable)
      if (field) {
        const origin: Origin = { from: 'environment', variable }
        overrides.push({ table, key: field.key, value: typed(text, field), origin })
      } else problems.push(unknownVariable(variable, [...known.keys()]))
    }
  }
  return { overrides, problems }
}

/** Values from flags, which override the environment. */
export function flagOverrides(flags: FlagValues): Override[] {
  return Object.entries(flags).map(([path, { flag, value }]) => {
    const [table = '', key = ''] = path.split('.')
    return { table, key, value, origin: { from: 'flag', flag } }
  })
}

/** Converts a variable's text to the type of the key. If it cannot be converted, the schema reports it. */
function typed(text: string, { node }: Field): unknown {
  switch ((node as Extract<Node, { kind: 'value' }>).type) {
    case 'whole number':
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text)
    case 'true or false':
      return text === 'true' ? true : text === 'false' ? false : text
    default:
      return text
  }
}

function unknownVariable(variable: string, known: readonly string[]): Problem {
  const guess = nearest(variable, known)
  const remedy = guess ? `did you mean ${guess}?` : `known: ${known.join(', ')}`
  return { file: variable, path: '', message: `there is no config key with this name; ${remedy}` }
}
