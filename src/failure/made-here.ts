import type { Evidence } from './failure.ts'

/** Shared by all copies of this package in one program. */
const REGISTRY = Symbol.for('mulligan.evidence')

const program = globalThis as { [REGISTRY]?: WeakSet<object> }
program[REGISTRY] ??= new WeakSet()

/**
 * Evidence that Mulligan found itself, in this program. What was parsed from an answer, an output or a file looks the
 * same, but is not in here: anybody could have written it.
 */
const registry = program[REGISTRY]

/** Marks evidence as found here. Copies of its failure keep it. */
export function madeHere<E extends Evidence>(evidence: E): E {
  registry.add(evidence)
  return evidence
}

export function isMadeHere(evidence: unknown): boolean {
  return typeof evidence === 'object' && evidence !== null && registry.has(evidence)
}
