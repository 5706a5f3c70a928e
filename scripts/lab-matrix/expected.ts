import { type Expectation, expectationOf } from '../../lab/fault/fault.ts'
import { FAULTS } from '../../lab/fault/table.ts'
import type { Vendor } from '../../lab/request.ts'
import type { FailureClass } from '../../src/failure/failure.ts'
import { CLI_NAMES, type CliName } from './install.ts'
import { isOfLab, type MatrixFault, OWN_FAULTS } from './own-faults.ts'

export interface Otherwise {
  fault: MatrixFault
  cli: CliName
  /** null: the run really succeeds. */
  expected: Expectation | null
  why: string
}

/** Runs whose true outcome differs from the fault, because of a limit of the runner or the CLI's behaviour. */
export const OTHERWISE: readonly Otherwise[] = [
  ...CLI_NAMES.map(cli => ({
    fault: 'tool_loop' as const,
    cli,
    expected: { class: 'rail', kind: 'max_turns' } as const,
    why: 'runs are limited to three turns; if the CLI has no such limit, the runner enforces it',
  })),
  {
    fault: 'gzip_garbage',
    cli: 'codex',
    expected: null,
    why: 'codex does not decompress answers and reads the plain text',
  },
]

export interface Hidden {
  faults: readonly MatrixFault[]
  cli: CliName
  why: string
  /** What a careful engineer would conclude from what the CLI shows. */
  careful: FailureClass
}

/**
 * Runs whose cause reaches nobody: neither the output, a log or a session file of the CLI, nor a look at its address shows it. Such a
 * run counts as wrong; whether Mulligan answered as a careful engineer would is counted on its own.
 */
export const HIDDEN: readonly Hidden[] = [
  {
    faults: ['capacity'],
    cli: 'codex',
    why: 'it shows the status of a 429 but neither body nor headers, so a limit of the caller is the safe guess',
    careful: 'throttle',
  },
  {
    faults: ['context_500', 'unloadable_model'],
    cli: 'codex',
    why: 'it drops the body of a 500 and reports high demand instead',
    careful: 'transient',
  },
  {
    faults: ['edge_timeout', 'origin_unresolved'],
    cli: 'opencode',
    why: 'while it retries, it calls the error page of an edge server "unknown"',
    careful: 'transient',
  },
  {
    faults: ['origin_unresolved'],
    cli: 'copilot',
    why: 'while it retries, it shows the status of an answer but not its body',
    careful: 'transient',
  },
]

const VENDOR_OF: Record<CliName, Vendor> = {
  claude: 'anthropic',
  codex: 'openai',
  opencode: 'anthropic',
  gemini: 'gemini',
  kimi: 'openai',
  qwen: 'openai',
  copilot: 'openai',
}

/** The true outcome of a run, which its classification should match; null for a success. */
export function expectedOf(cli: CliName, name: MatrixFault): Expectation | null {
  const otherwise = OTHERWISE.find(entry => entry.fault === name && entry.cli === cli)
  if (otherwise) return otherwise.expected
  return isOfLab(name) ? expectationOf(FAULTS[name], VENDOR_OF[cli]) : OWN_FAULTS[name].expected
}

/** Why nothing reveals the cause of a run; undefined if something does. */
export function hiddenIn(cli: CliName, name: string): Hidden | undefined {
  return HIDDEN.find(entry => entry.cli === cli && entry.faults.some(fault => fault === name))
}
