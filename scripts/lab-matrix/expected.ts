import { type Expectation, expectationOf } from '../../lab/fault/fault.ts'
import { FAULTS } from '../../lab/fault/table.ts'
import type { Vendor } from '../../lab/request.ts'
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
}

/** Runs whose cause the CLI hides, so its output cannot reveal it. Such a run counts as wrong. */
export const HIDDEN: readonly Hidden[] = [
  {
    faults: ['capacity', 'billing'],
    cli: 'codex',
    why: 'it prints the status of a 429 and drops body and headers, even from its logs',
  },
  {
    faults: ['context_500', 'unloadable_model'],
    cli: 'codex',
    why: 'it drops the body of a 500 too, and reports high demand instead',
  },
  {
    faults: ['maintenance_page'],
    cli: 'qwen',
    why: 'it waits out a Retry-After of 30 s four times before even its log says so, which exceeds the time limit of the run',
  },
  ...(['gemini', 'kimi', 'qwen'] as const).map(cli => ({
    faults: ['redirect_loop' as const],
    cli,
    why: "it drops Node's cause of a failed fetch",
  })),
  ...(['claude', 'codex', 'opencode', 'gemini', 'kimi', 'copilot'] as const).map(cli => ({
    faults: ['sso_page' as const, 'key_refused_with_200' as const],
    cli,
    why: 'it drops a 200 that is no stream, and says only that the stream was empty',
  })),
  ...(['gemini', 'qwen', 'kimi'] as const).map(cli => ({
    faults: ['proxy_login' as const],
    cli,
    why: "Node's fetch turns every 407 into a network error, and neither the output nor a log of the CLI says more",
  })),
  {
    faults: ['plain_port'],
    cli: 'opencode',
    why: 'it says only that it is unable to connect',
  },
  {
    faults: ['edge_timeout'],
    cli: 'opencode',
    why: 'while it retries, its log at any level calls the error page of an edge server only "unknown"',
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

/** Why the output of a run cannot reveal its cause; undefined if it can. */
export function hiddenBecause(cli: CliName, name: string): string | undefined {
  return HIDDEN.find(entry => entry.cli === cli && entry.faults.some(fault => fault === name))?.why
}
