import { type Expectation, expectationOf, FAULTS, type FaultName, type Vendor } from '../../lab/index.ts'
import { type CliName, MATRIX_CLIS } from './install.ts'

const MAX_TURNS: Expectation = { class: 'rail', kind: 'max_turns' }
const RATE_LIMIT: Expectation = { class: 'throttle', kind: 'rate_limit' }

export interface Otherwise {
  fault: FaultName
  cli: CliName
  /** null: the CLI says success, and nothing in its output tells otherwise. */
  expected: Expectation | null
  why: string
}

const DROPS_BODY = 'codex prints the status of a 429 and drops its body and headers, except for spent credit'

/** Where a CLI makes something else of a fault than a client would: it has a limit of its own, or hides the cause. */
export const OTHERWISE: readonly Otherwise[] = [
  ...MATRIX_CLIS.map(cli => ({
    fault: 'tool_loop' as const,
    cli,
    expected: MAX_TURNS,
    why: 'it may take three turns: where the CLI has no such limit, the runner keeps it',
  })),
  { fault: 'capacity', cli: 'codex', expected: RATE_LIMIT, why: DROPS_BODY },
  { fault: 'billing', cli: 'codex', expected: RATE_LIMIT, why: DROPS_BODY },
  {
    fault: 'content_policy',
    cli: 'gemini',
    expected: { class: 'transient', kind: 'server_error' },
    why: 'gemini tells of a blocked prompt only as a stream without a finish reason',
  },
  {
    fault: 'hang',
    cli: 'gemini',
    expected: { class: 'transient', kind: 'network' },
    why: 'gemini gives up after a minute by itself and prints only that its fetch failed, not that it waited',
  },
  { fault: 'output_limit', cli: 'gemini', expected: null, why: 'gemini prints a cut answer as a whole one' },
  ...(['unfinished_stream', 'empty_body', 'wrong_content_type', 'html_page'] as const).map(fault => ({
    fault,
    cli: 'opencode' as const,
    expected: MAX_TURNS,
    why: 'opencode takes an answer without an end for a finished step and asks again, without limit or complaint; the limit on turns stops it',
  })),
]

const VENDOR_OF: Record<CliName, Vendor> = {
  claude: 'anthropic',
  codex: 'openai',
  opencode: 'anthropic',
  gemini: 'gemini',
  kimi: 'openai',
  qwen: 'openai',
}

/** What the outcome of a CLI should be classified as; null where it should be a success. */
export function expectedOf(cli: CliName, name: FaultName): Expectation | null {
  const otherwise = OTHERWISE.find(entry => entry.fault === name && entry.cli === cli)
  return otherwise === undefined ? expectationOf(FAULTS[name], VENDOR_OF[cli]) : otherwise.expected
}
