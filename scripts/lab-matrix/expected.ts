import { type Expectation, FAULTS, type Fault, type FaultName } from '../../lab/index.ts'
import type { CliName } from './install.ts'

const TIMEOUT: Expectation = { class: 'timeout', kind: 'timeout' }
const MAX_TURNS: Expectation = { class: 'rail', kind: 'max_turns' }

/** Where a CLI, rightly, makes something else of a fault than a client would. */
const OTHERWISE: Partial<Record<FaultName, Partial<Record<CliName, Expectation | null>>>> = {
  // claude and gemini have a limit on turns; the others go on until our own timer ends them.
  tool_loop: { claude: MAX_TURNS, gemini: MAX_TURNS, codex: TIMEOUT, opencode: TIMEOUT },
}

/** What the outcome of a CLI should be classified as; null where it should succeed. */
export function expectedOf(cli: CliName, name: FaultName): Expectation | null {
  const otherwise = OTHERWISE[name]?.[cli]
  return otherwise === undefined ? (FAULTS[name] as Fault).expected : otherwise
}
