import { ConfigError } from '../../config/error.ts'
import { isLabelError } from '../../unknown/label-error.ts'
import { operatorOf } from '../../unknown/operator.ts'
import { Unknowns } from '../../unknown/unknowns.ts'
import { parseArguments } from '../flag/arguments.ts'
import { refuseOtherFlags, subcommandOf } from '../flag/subcommand.ts'
import { nothingYet, RUNTIME_USAGE, withRuntime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { label } from './unknowns-label.ts'
import { exportPack, importPack } from './unknowns-pack.ts'
import { LABEL_OPTIONS, LIST_OPTIONS, OPTIONS, PACK_OPTIONS } from './unknowns-runtime.ts'
import { list, show, withdraw } from './unknowns-show.ts'

export const usage = `Usage: mulligan unknowns ls|show|label|withdraw|export|import [ARGUMENT…] [OPTIONS]

Lists unknown failures, once per fingerprint and provider, and labels them.

  ls                list unknown failures without a label, newest first; with --all, labelled ones too
  show FINGERPRINT  show samples, waiting operations, the proposed signature, and labels of similar failures
  label FINGERPRINT CLASS [KIND]
                    label it; shows the signature and a backtest, then asks (or needs --yes). It decides
                    what happens to the operations parked for it, and the next such failure is recognised
  withdraw LABEL    withdraw a label, by its id or its fingerprint
  export            print all labels as a signature pack (TOML)
  import FILE       import a signature pack; shows its backtest, then asks (or needs --yes)

  --retry-after D   with label: wait this long if the failure states no time, such as 1h; for throttle and transient
  --effect E        with label: none or maybe: whether the failed request may have taken effect
  --all-providers   with label: apply it to every provider, not only those that the failure came from
  --pattern P       with label: use this signature instead of the proposed one; --no-pattern for none
  --why TEXT        with label: the reason, for people
  --allow           with import: accept effect "none" and waits over 24h
  --force           with label, import: do it even if right classifications become wrong
  --yes             with label, import: do not ask
  --all, --provider P, --limit N, --cursor C
                    with ls: which failures, and which page; default 50 per page
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 refused or not found, 2 wrong usage.`

const SUBCOMMANDS = { ls: list, show, label, withdraw, export: exportPack, import: importPack }

const TAKES: Record<keyof typeof SUBCOMMANDS, readonly string[]> = {
  ls: Object.keys(LIST_OPTIONS),
  show: [],
  label: Object.keys(LABEL_OPTIONS),
  withdraw: [],
  export: [],
  import: Object.keys(PACK_OPTIONS),
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...given] = positionals
  const subcommand = subcommandOf('unknowns', name, SUBCOMMANDS)
  refuseOtherFlags('unknowns', name as keyof typeof SUBCOMMANDS, values, TAKES)
  const absent = subcommand === importPack ? 'make' : 'look'
  return withRuntime(
    values,
    terminal,
    { absent, shows: ([list, show, exportPack] as unknown[]).includes(subcommand) },
    async ({ ledger, isBegun, place }) => {
      if (!ledger || (!isBegun && absent === 'look' && subcommand === list && !values.json)) {
        terminal.stdout(nothingYet(place))
        return 0
      }
      const who = operatorOf(terminal.env)
      try {
        return await subcommand(
          { unknowns: new Unknowns(ledger), ledger, flags: values, terminal, who },
          given,
        )
      } catch (error) {
        if (!isLabelError(error) && !(error instanceof ConfigError)) throw error
        const more = isLabelError(error) && error.code === 'flips' ? '; to do it anyway, add --force' : ''
        terminal.stderr(`mulligan unknowns ${name}: ${error.message}${more}\n`)
        return 1
      }
    },
  )
}
