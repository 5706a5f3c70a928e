import { ConfigError } from '../config/error.ts'
import type { StoredLedger } from '../queue/stored-ledger.ts'
import { isUnknownError } from '../unknown/error.ts'
import { operatorOf } from '../unknown/operator.ts'
import { Unknowns } from '../unknown/unknowns.ts'
import { parseArguments, UsageError } from './arguments.ts'
import type { Terminal } from './main.ts'
import { nothingYet, RUNTIME_OPTIONS, RUNTIME_USAGE, withRuntime } from './runtime.ts'
import { subcommandOf } from './subcommand.ts'
import { LABEL_OPTIONS, label } from './unknowns-label.ts'
import { exportPack, importPack, PACK_OPTIONS } from './unknowns-pack.ts'
import { LIST_OPTIONS, list, show, withdraw } from './unknowns-show.ts'

export const usage = `Usage: mulligan unknowns ls|show|label|withdraw|export|import [ARGUMENT…] [OPTIONS]

Failures that no rule and no label knows, once per fingerprint and provider, and what people say of them.

  ls                those without a label, newest first; --all for the labelled ones too
  show FINGERPRINT  samples, operations that wait for a label, the proposed signature, labels of similar failures
  label FINGERPRINT CLASS [KIND]
                    say what it is; shows signature and backtest first, and asks, or needs --yes. Parked operations then move
                    by themselves, and the next such failure is recognised
  withdraw LABEL    take back a label, by its id or its fingerprint
  export            print all labels as a signature pack (TOML)
  import FILE       take a signature pack; shows its backtest first, and asks, or needs --yes

  --retry-after D   label: wait this long where the failure does not say, such as 1h; for throttle and transient
  --effect E        label: none or maybe, whether the failed request may have done something
  --all-providers   label: for every provider, not only those that it came from
  --pattern P       label: this signature instead of the proposed one; --no-pattern for none
  --why TEXT        label: why, for people
  --allow           import: also effect "none" and waits beyond 24h
  --force           label, import: although right classifications become wrong
  --yes             label, import: without asking
  --all, --provider P, --limit N, --cursor C
                    ls: which, and which page; default 50
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 refused or not found, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...LIST_OPTIONS,
  ...LABEL_OPTIONS,
  ...PACK_OPTIONS,
  json: { type: 'boolean' },
} as const

const SUBCOMMANDS = { ls: list, show, label, withdraw, export: exportPack, import: importPack }

const TAKES: Record<keyof typeof SUBCOMMANDS, readonly string[]> = {
  ls: Object.keys(LIST_OPTIONS),
  show: [],
  label: Object.keys(LABEL_OPTIONS),
  withdraw: [],
  export: [],
  import: Object.keys(PACK_OPTIONS),
}

/** Flags of all subcommands, as they were given. */
export type UnknownFlags = Partial<ReturnType<typeof parseArguments<typeof OPTIONS>>['values']>

/** What a subcommand works with. */
export interface UnknownsRuntime {
  unknowns: Unknowns
  ledger: StoredLedger
  flags: UnknownFlags
  terminal: Terminal
  /** Who is at the terminal. */
  who: string
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...given] = positionals
  const subcommand = subcommandOf('unknowns', name, SUBCOMMANDS)
  checkFlags(name as keyof typeof SUBCOMMANDS, values)
  const absent = subcommand === importPack ? 'make' : 'look'
  return withRuntime(values, terminal, { absent }, async ({ ledger, isBegun, place }) => {
    if (!ledger || (!isBegun && absent === 'look' && subcommand === list && !values.json)) {
      terminal.stdout(nothingYet(place))
      return 0
    }
    const who = operatorOf(terminal.env)
    try {
      return await subcommand({ unknowns: new Unknowns(ledger), ledger, flags: values, terminal, who }, given)
    } catch (error) {
      if (!isUnknownError(error) && !(error instanceof ConfigError)) throw error
      const more = isUnknownError(error) && error.code === 'flips' ? '; to do it anyway: --force' : ''
      terminal.stderr(`mulligan unknowns ${name}: ${error.message}${more}\n`)
      return 1
    }
  })
}

function checkFlags(name: keyof typeof SUBCOMMANDS, given: object): void {
  const taken = [...TAKES[name], ...Object.keys(RUNTIME_OPTIONS), 'json']
  const other = Object.keys(given).find(flag => !taken.includes(flag))
  if (other === undefined) return
  const others = Object.entries(TAKES).flatMap(([known, flags]) => (flags.includes(other) ? [known] : []))
  throw new UsageError(`unknowns ${name} takes no --${other}, which is for unknowns ${others.join(', ')}`)
}
