import { EXIT_USAGE } from '../exit-code.ts'
import { parseArguments } from '../flag/arguments.ts'
import { PARAMS_OPTIONS } from '../flag/params.ts'
import { refuseOtherFlags, subcommandOf } from '../flag/subcommand.ts'
import { withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { changing, done, edit } from './ops-change.ts'
import { FILTER_OPTIONS, FILTER_USAGE } from './ops-filter.ts'
import { list, show } from './ops-show.ts'
import { wait, watch } from './ops-watch.ts'

export const usage = `Usage: mulligan ops ls|show|retry|cancel|discard|done|edit|watch|wait [ID…] [OPTIONS]

  ls                list operations, newest first, one page at a time
  show ID           show everything about one operation: state, and timeline with evidence and reasons
  retry ID…         dead: run again and keep the history; parked: continue; waiting: run now
  cancel ID…        end it; a running one with everything it started, in any process
  discard ID…       delete an ended operation
  done ID           mark a dead or parked operation as done, because you saw that its work is done
  edit ID           change parameters, time or priority of a waiting or parked operation, or of a dead one with --revive
  watch [ID]        print events as they happen; with ID, until it ends
  wait ID           wait until it ends, and print its result

retry, cancel and discard also take a filter: they show what would change, and apply it with --yes.

${FILTER_USAGE}
  --limit N         page size; default 50
  --cursor C        start of the page, as printed by the previous page

  --param N=V, --params JSON, --at TIME, --priority N
                    with edit: the new values; for secrets use --param-env N=VAR, --param-file N=FILE or --param-stdin N,
                    which keep them off the command line
  --revive          with edit: run a dead operation again with the new values, and keep its history
  --result JSON     with done: what it returned; JSON, or text
  --reason TEXT     with done: how you know, for its history
  --yes             apply the change to all operations that the filter matches
  --may-repeat      with retry and edit: run again even what may already have taken effect, which nothing can check
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 an operation could not be changed, 2 wrong usage.
Exit codes of wait: ${EXIT_USAGE}.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  ...FILTER_OPTIONS,
  ...PARAMS_OPTIONS,
  limit: { type: 'string' },
  cursor: { type: 'string' },
  at: { type: 'string' },
  priority: { type: 'string' },
  revive: { type: 'boolean' },
  result: { type: 'string' },
  reason: { type: 'string' },
  yes: { type: 'boolean' },
  'may-repeat': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const SUBCOMMANDS = {
  ls: list,
  show,
  retry: changing('retry'),
  cancel: changing('cancel'),
  discard: changing('discard'),
  done,
  edit,
  watch,
  wait,
}

const FILTER = Object.keys(FILTER_OPTIONS)

/** Flags of each subcommand. Others are refused, because an ignored filter could widen a bulk change. */
const TAKES: Record<keyof typeof SUBCOMMANDS, readonly string[]> = {
  ls: [...FILTER, 'limit', 'cursor'],
  show: [],
  retry: [...FILTER, 'yes', 'may-repeat'],
  cancel: [...FILTER, 'yes'],
  discard: [...FILTER, 'yes'],
  done: ['result', 'reason'],
  edit: [...Object.keys(PARAMS_OPTIONS), 'at', 'priority', 'revive', 'may-repeat'],
  watch: [],
  wait: [],
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...ids] = positionals
  const subcommand = subcommandOf<(typeof SUBCOMMANDS)[keyof typeof SUBCOMMANDS]>('ops', name, SUBCOMMANDS)
  refuseOtherFlags('ops', name as keyof typeof SUBCOMMANDS, values, TAKES)
  // Only `watch` makes a ledger, to wait for its first event; the others have nothing to change without one.
  const absent = subcommand === watch && ids.length === 0 ? 'make' : 'look'
  const shows = ([list, show, watch, wait] as unknown[]).includes(subcommand)
  return withQueue(values, terminal, runtime => subcommand(runtime, ids, values, terminal), { absent, shows })
}
