import { schedulesInWords } from '../../daemon/words/schedule-words.ts'
import { present } from '../../failure/present.ts'
import { nearestOrKnown } from '../../option/nearest.ts'
import { type CronSchedule, submissionOf } from '../../queue/cron-schedule.ts'
import { scheduleStatuses } from '../../queue/cron-status.ts'
import { scheduleToJson } from '../../queue/status-json.ts'
import { EXIT_USAGE } from '../exit-code.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { onlyArgument, subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import { userOf } from '../runtime/changing.ts'
import { type QueueRuntime, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE, type RuntimeFlags, withRuntime } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { submitAndPrint } from './submit-and-print.ts'

export const usage = `Usage: mulligan schedule ls|run|pause|resume [NAME] [OPTIONS]

  ls                list the schedules of the config with their next time and last outcome
  run NAME          submit its operation now, even if it is disabled or paused; its regular times stay the same
  pause NAME        submit nothing, in any process, until it is resumed
  resume NAME       submit on time again; what passed was missed, and "missed" in the config says what happens then

The daemon ("mulligan serve") submits them on time.

  --reason TEXT     with pause: why
  --wait            with run: wait until the operation ends, and print its result
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 2 wrong usage.
Exit codes of run --wait: ${EXIT_USAGE}.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  wait: { type: 'boolean' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Flags extends RuntimeFlags {
  reason?: string | undefined
  wait?: boolean | undefined
  json?: boolean | undefined
}

const SUBCOMMANDS = { ls: list, run: submit, pause: changing('pause'), resume: changing('resume') }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  const subcommand = subcommandOf('schedule', name, SUBCOMMANDS)
  if (values.wait && name !== 'run') throw new UsageError('--wait goes with schedule run')
  if (values.reason !== undefined && name !== 'pause')
    throw new UsageError('--reason goes with schedule pause')
  return subcommand(rest, values, terminal)
}

async function list(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (rest.length > 0) throw new UsageError(`schedule ls takes no ${JSON.stringify(rest[0])}`)
  return withRuntime(flags, terminal, { absent: 'keep_out', shows: true }, async ({ loaded, ledger }) => {
    const standings = await scheduleStatuses(ledger, loaded.config.schedules, terminal.now())
    if (flags.json) printJson(terminal, { schedules: standings.map(scheduleToJson) })
    else if (standings.length === 0)
      terminal.stdout(
        loaded.isBroken
          ? 'No schedule can be read from the broken config.\n'
          : 'No schedules; add a [[schedule]] to mulligan.toml.\n',
      )
    else terminal.stdout(schedulesInWords(standings, terminal.now()))
    return 0
  })
}

async function submit(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('schedule run', 'a schedule NAME', rest)
  const work = async (runtime: QueueRuntime) => {
    const { capability, params, ...options } = submissionOf(named(runtime.loaded.config.schedules, name))
    return submitAndPrint(runtime, () => runtime.queue.submit(capability, params, options), flags, terminal)
  }
  return withQueue(flags, terminal, work, { needsCapabilities: true })
}

function changing(verb: 'pause' | 'resume') {
  return (rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> => {
    const name = onlyArgument(`schedule ${verb}`, 'a schedule NAME', rest)
    return withQueue(flags, terminal, async ({ queue, loaded }) => {
      const schedule = named(loaded.config.schedules, name)
      const { reason } = flags
      await queue[verb]({ schedule: name }, { by: userOf(terminal.env), ...present({ reason }) })
      const standings = await scheduleStatuses(queue.ledger, [schedule], terminal.now())
      if (flags.json) printJson(terminal, { schedules: standings.map(scheduleToJson) })
      else terminal.stdout(schedulesInWords(standings, terminal.now()))
      return 0
    })
  }
}

function named(schedules: readonly CronSchedule[], name: string): CronSchedule {
  const found = schedules.find(schedule => schedule.name === name)
  if (found) return found
  const known = schedules.map(schedule => schedule.name)
  const remedy = nearestOrKnown(name, known, 'the config has no [[schedule]]')
  throw new UsageError(`unknown schedule ${JSON.stringify(name)}; ${remedy}`)
}
