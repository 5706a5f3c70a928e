import { present } from '../failure/present.ts'
import type { PositionNode } from './toml/position.ts'

/** Cap keys of the older layout, with the window of each. */
const CAPS = [
  ['max_hour_cents', 'hour'],
  ['max_day_cents', 'day'],
] as const

/**
 * Turns `[[providers]]` into entries of `[[provider]]`, after the existing ones, so everything else knows only one layout.
 * Positions move along: a mistake is still reported where it was written.
 */
export function withOlderLayout(
  written: Readonly<Record<string, unknown>>,
  places: PositionNode,
): Record<string, unknown> {
  const { providers, ...rest } = written
  if (!Array.isArray(providers) || !(rest.provider === undefined || Array.isArray(rest.provider))) return rest
  const newer: unknown[] = [...((rest.provider as unknown[] | undefined) ?? [])]
  const from = places.child('providers')
  const to = places.child('provider', from.place)
  providers.forEach((entry: unknown, index) => {
    if (typeof entry !== 'object' || entry === null) return
    moveEntry(from.child(index), to.child(newer.length, from.child(index).place))
    newer.push(newerEntry(entry as Record<string, unknown>))
  })
  return { ...rest, provider: newer }
}

function newerEntry({ id, error_signatures, ...entry }: Record<string, unknown>): Record<string, unknown> {
  const caps = CAPS.flatMap(([key, per]) => {
    const cents = entry[key]
    return typeof cents === 'number' ? [{ per, usd: cents / 100 }] : []
  })
  return {
    ...present({ id }),
    ...(caps.length > 0 ? { caps } : {}),
    ...present({ error_signatures }),
  }
}

function moveEntry(from: PositionNode, to: PositionNode): void {
  for (const key of ['id', 'error_signatures']) {
    const node = from.children.get(key)
    if (node) to.children.set(key, node)
  }
  for (const [key] of CAPS) {
    const place = from.children.get(key)?.place
    if (!place) continue
    const caps = to.child('caps', place)
    const cap = caps.child(caps.children.size, place)
    cap.child('per', place)
    cap.child('usd', place)
  }
}
