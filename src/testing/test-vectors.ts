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
 * Behaviour of an older system, as JSON lines that may lie beside the clone. Without them there is nothing more to
 * run than what the tables of the tests hold.
 */
export function vectorsOf(system: string, ...topics: readonly string[]): readonly Vector[] {
  const file = fileURLToPath(new URL(`../../../shared/vectors/${system}.jsonl`, import.meta.url))
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line) as Vector).filter(({ topic }) => topics.includes(topic))
}
