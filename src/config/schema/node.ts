import type { z } from 'zod'
import type { Path } from '../toml/position.ts'
import { targetOf } from './table.ts'
import { wordsOf } from './value.ts'

/** A key of a table. */
export interface Field {
  key: string
  /** Its name in TypeScript. */
  target: string
  node: Node
  description: string
  isRequired: boolean
  /** The default, as it would be written; undefined if there is none. */
  fallback: unknown
}

/** A schema as everything but the parser sees it: what may stand where, and its name. */
export type Node =
  | { kind: 'table'; fields: ReadonlyMap<string, Field> }
  | { kind: 'list'; item: Node }
  | { kind: 'map'; item: Node }
  | { kind: 'value'; type: string }

const NODES = new WeakMap<z.core.$ZodType, Node>()

/** The only place that looks into zod's schemas. */
export function nodeOf(schema: z.core.$ZodType): Node {
  let node = NODES.get(schema)
  if (!node) {
    node = makeNode(schema)
    NODES.set(schema, node)
  }
  return node
}

function makeNode(schema: z.core.$ZodType): Node {
  const words = wordsOf(schema)
  if (words) return { kind: 'value', type: words }
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'optional':
    case 'prefault':
      return nodeOf(def.innerType)
    case 'pipe':
      return nodeOf(def.in)
    case 'object':
      return {
        kind: 'table',
        fields: new Map(Object.entries(def.shape).map(([key, inner]) => [key, fieldOf(key, inner)])),
      }
    case 'array':
      return { kind: 'list', item: nodeOf(def.element) }
    case 'record':
      return { kind: 'map', item: nodeOf(def.valueType) }
    default:
      throw new TypeError(`a schema of type ${def.type} has no name; create it with a function of value.ts`)
  }
}

function fieldOf(key: string, schema: z.core.$ZodType): Field {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const inner = def.type === 'optional' || def.type === 'prefault' ? def.innerType : schema
  return {
    key,
    target: targetOf(key, schema),
    node: nodeOf(schema),
    // zod gathers a description from all of a schema's parents, which is too slow for every start of the command.
    get description() {
      return (inner as z.ZodType).description ?? ''
    },
    isRequired: inner === schema,
    fallback: def.type === 'prefault' ? def.defaultValue : undefined,
  }
}

/** The node at a path; undefined if the schema has none. */
export function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root
  for (const step of path) {
    if (node?.kind === 'table') node = node.fields.get(String(step))?.node
    else if (node?.kind === 'list' || node?.kind === 'map') node = node.item
    else return undefined
  }
  return node
}
