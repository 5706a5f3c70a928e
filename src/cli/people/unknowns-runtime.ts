import type { StoredLedger } from '../../queue/stored-ledger.ts'
import type { Unknowns } from '../../unknown/unknowns.ts'
import type { parseArguments } from '../flag/arguments.ts'
import { RUNTIME_OPTIONS } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'

/** Values of the flags of all subcommands. */
export type UnknownFlags = Partial<ReturnType<typeof parseArguments<typeof OPTIONS>>['values']>

/** The arguments of a subcommand. */
export interface UnknownsRuntime {
  unknowns: Unknowns
  ledger: StoredLedger
  flags: UnknownFlags
  terminal: Terminal
  /** Name of the user. */
  who: string
}

export const LABEL_OPTIONS = {
  'retry-after': { type: 'string' },
  effect: { type: 'string' },
  'all-providers': { type: 'boolean' },
  pattern: { type: 'string' },
  'no-pattern': { type: 'boolean' },
  why: { type: 'string' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const

export const PACK_OPTIONS = {
  allow: { type: 'boolean' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const

export const LIST_OPTIONS = {
  all: { type: 'boolean' },
  provider: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
} as const

export const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...LIST_OPTIONS,
  ...LABEL_OPTIONS,
  ...PACK_OPTIONS,
  json: { type: 'boolean' },
} as const
