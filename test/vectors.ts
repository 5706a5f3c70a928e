import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The behaviour of an older system in one case. */
export interface Vector {
  id: string
  topic: string
  input: Record<string, unknown>
  expected: Record<string, unknown>
}

/**
 * The behaviour of an older system, from a JSON lines file that may be next to the clone. Without the file it is empty,
 * and tests run only the cases in their own tables.
 */
export function vectorsOf(system: string, ...topics: readonly string[]): readonly Vector[] {
  const file = fileURLToPath(new URL(`../../shared/vectors/${system}.jsonl`, import.meta.url))
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line) as Vector).filter(({ topic }) => topics.includes(topic))
}
