import type { Field, Node } from './schema/node.ts'
import type { Path, Position } from './toml/position.ts'

/** Where a value of the config comes from. */
export type Origin =
  | ({ from: 'file'; file: string } & Position)
  | { from: 'environment'; variable: string }
  | { from: 'flag'; flag: string }
  | { from: 'default' }

/** An origin in a few words: `mulligan.toml:3:1`, `MULLIGAN_QUEUE_DATA`, `--data`, `default`. */
export function originText(origin: Origin): string {
  switch (origin.from) {
    case 'file':
      return `${origin.file}:${origin.line}:${origin.column}`
    case 'environment':
      return origin.variable
    case 'flag':
      return origin.flag
    case 'default':
      return 'default'
  }
}

/** One value of the effective config. */
export interface EffectiveValue {
  /** As in the file: `["provider", 0, "breaker", "cooldown"]`. */
  path: Path
  /** As in `Config`: `["providers", 0, "breaker", "cooldownMs"]`. */
  target: Path
  /** As written, or as the default would be written. */
  written: unknown
  /** Where it comes from. */
  origin: Origin
}

/** Where the value at a path comes from; undefined if it is not set. */
export type FindOrigin = (path: Path) => Origin | undefined

/** Every value of a config, written or default, in the order of the schema. Empty lists and tables count as values too. */
export function effectiveValues(
  fields: Iterable<Field>,
  written: Readonly<Record<string, unknown>>,
  originOf: FindOrigin,
  at: { path: Path; target: Path } = { path: [], target: [] },
): EffectiveValue[] {
  return [...fields].flatMap(field => {
    const value = written[field.key] ?? field.fallback
    if (value === undefined) return []
    const here = { path: [...at.path, field.key], target: [...at.target, field.target] }
    return valuesOf(field.node, value, originOf, here)
  })
}

function valuesOf(
  node: Node,
  value: unknown,
  originOf: FindOrigin,
  at: { path: Path; target: Path },
): EffectiveValue[] {
  const within = (step: string | number) => ({ path: [...at.path, step], target: [...at.target, step] })
  if (node.kind === 'table') {
    return effectiveValues(node.fields.values(), value as Record<string, unknown>, originOf, at)
  }
  const inner =
    node.kind === 'list'
      ? (value as unknown[]).flatMap((item, index) => valuesOf(node.item, item, originOf, within(index)))
      : node.kind === 'map'
        ? Object.entries(value as object).flatMap(([key, item]) =>
            valuesOf(node.item, item, originOf, within(key)),
          )
        : []
  if (inner.length > 0) return inner
  const origin = originOf(at.path) ?? { from: 'default' }
  return [{ ...at, written: value, origin }]
}
