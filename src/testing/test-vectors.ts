import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** How an older system behaved in one case. */
export interface Vector {
  id: string
  topic: string
  input: Record<string, unknown>
  expected: Record<string, unknown>
}

/**
 * Behaviour of an older system, from JSON lines that may lie beside the clone. Without the file there are none: then
 * the tests run only the cases of their own tables.
 */
export function vectorsOf(system: string, ...topics: readonly string[]): readonly Vector[] {
  const file = fileURLToPath(new URL(`../../../shared/vectors/${system}.jsonl`, import.meta.url))
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line) as Vector).filter(({ topic }) => topics.includes(topic))
}
