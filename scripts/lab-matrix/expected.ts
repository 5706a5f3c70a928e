import { type Expectation, expectationOf } from '../../lab/fault/fault.ts'
import { FAULTS } from '../../lab/fault/table.ts'
import type { Vendor } from '../../lab/request.ts'
import { CLI_NAMES, type CliName } from './install.ts'
import { isOfLab, type MatrixFault, OWN_FAULTS } from './own-faults.ts'

export interface Otherwise {
  fault: MatrixFault
  cli: CliName
  /** null: the run truly succeeds. */
  expected: Expectation | null
  why: string
}

/** Where something else truly happens than the fault says, because of a limit of the runner or a habit of the CLI. */
export const OTHERWISE: readonly Otherwise[] = [
  ...CLI_NAMES.map(cli => ({
    fault: 'tool_loop' as const,
    cli,
    expected: { class: 'rail', kind: 'max_turns' } as const,
    why: 'it may take three turns; if the CLI has no such limit, the runner enforces it',
  })),
  {
    fault: 'gzip_garbage',
    cli: 'codex',
    expected: null,
    why: 'codex decompresses nothing and reads the answer as it comes',
  },
]

export interface Hidden {
  faults: readonly MatrixFault[]
  cli: CliName
  why: string
}

/** Where a CLI hides the cause, so that nobody who reads its output can know it. Such a run counts as wrong. */
export const HIDDEN: readonly Hidden[] = [
  {
    faults: ['capacity', 'billing'],
    cli: 'codex',
    why: 'it prints the status of a 429 and drops its body and headers, even in its logs',
  },
  {
    faults: ['context_500', 'unloadable_model'],
    cli: 'codex',
    why: 'it drops the body of a 500 too, and claims high demand',
  },
  {
    faults: ['maintenance_page'],
    cli: 'qwen',
    why: "it waits for a Retry-After of 30 s four times before even its log says so, and the run's time is up first",
  },
  {
    faults: ['self_signed'],
    cli: 'codex',
    why: 'it says that it waits for the network',
  },
  ...(['gemini', 'kimi'] as const).map(cli => ({
    faults: ['self_signed' as const],
    cli,
    why: 'it drops the cause that Node gives for a failed fetch',
  })),
  ...(['gemini', 'qwen', 'kimi'] as const).map(cli => ({
    faults: ['proxy_login' as const],
    cli,
    why: "Node's fetch turns every 407 into a network error, and neither the CLI's output nor its log says more",
  })),
  {
    faults: ['edge_timeout'],
    cli: 'opencode',
    why: `its log, at any level, calls the edge's page only "unknown" while it retries`,
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

/** What truly happened, and so what the outcome of a CLI should be classified as; null where it should be a success. */
export function expectedOf(cli: CliName, name: MatrixFault): Expectation | null {
  const otherwise = OTHERWISE.find(entry => entry.fault === name && entry.cli === cli)
  if (otherwise) return otherwise.expected
  return isOfLab(name) ? expectationOf(FAULTS[name], VENDOR_OF[cli]) : OWN_FAULTS[name].expected
}

/** Why nobody can know the cause of this run; undefined where its output tells. */
export function hiddenBecause(cli: CliName, name: string): string | undefined {
  return HIDDEN.find(entry => entry.cli === cli && entry.faults.some(fault => fault === name))?.why
}
