import type { GroupConfig } from '../../config/schema/group.ts'
import { present } from '../../failure/present.ts'
import { operatorOf } from '../../unknown/operator.ts'
import { isWorkflowError, WorkflowError } from '../../workflow/error.ts'
import { groupToJson } from '../../workflow/group-json.ts'
import { Groups } from '../../workflow/groups.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { sessionOf } from '../flag/session-flag.ts'
import { onlyArgument, subcommandOf } from '../flag/subcommand.ts'
import { choose } from '../runtime/agents.ts'
import { type QueueRuntime, withActingQueue, withQueue } from '../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE, type RuntimeFlags } from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { groupInWords, groupsInWords, printResults } from './group-words.ts'
import { groupConfig, runGroup } from './run-group.ts'

export const usage = `Usage: mulligan group ls|start|show|results|cancel [NAME] [OPTIONS]

Groups are agent runs that share agents, limits and fate. "mulligan run --group NAME --queue -- PROMPT…" adds runs to
one; a daemon runs them.

  ls                list groups, newest first
  start NAME        run the prompts of [[group]] NAME
  show NAME         state of each run, what it waits for, cost so far, expected end
  results NAME      the answer or state of each run, in the order of the prompts
  cancel NAME       cancel all runs that have not ended

  --wait            with start: wait until all have ended, and print their answers
  --key K           with start: the same key returns the same runs
  --reason TEXT     with cancel: why; recorded with each run
  --json            JSON on stdout
${RUNTIME_USAGE}

Exit codes: 0 done, 1 with results or --wait a run did not succeed, or refused; 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  wait: { type: 'boolean' },
  key: { type: 'string' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Flags extends RuntimeFlags {
  wait?: boolean | undefined
  key?: string | undefined
  reason?: string | undefined
  json?: boolean | undefined
}

const SUBCOMMANDS = { ls: list, start, show, results, cancel }

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...rest] = positionals
  try {
    return await subcommandOf('group', name, SUBCOMMANDS)(rest, values, terminal)
  } catch (error) {
    if (!isWorkflowError(error)) throw error
    terminal.stderr(`mulligan group: ${error.message}\n`)
    return 1
  }
}

async function list(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  if (rest.length > 0) throw new UsageError(`group ls does not take ${JSON.stringify(rest[0])}`)
  return look(flags, terminal, async (groups, runtime) => {
    const views = []
    for (const name of await groups.names()) views.push(await groups.show(name))
    const [ready] = startable(runtime)
    if (flags.json) terminal.stdout(`${JSON.stringify({ groups: views.map(groupToJson) })}\n`)
    else if (views.length === 0)
      terminal.stdout(
        ready
          ? `No runs; start the prompts of a [[group]]: mulligan group start ${ready.name}\n`
          : 'No groups; start one with "mulligan run --group NAME --queue -- PROMPT…".\n',
      )
    else terminal.stdout(groupsInWords(views))
    return 0
  })
}

async function show(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('group show', 'the NAME of a group', rest)
  return lookAt(name, flags, terminal, async groups => {
    const view = await groups.show(name)
    terminal.stdout(
      flags.json ? `${JSON.stringify(groupToJson(view))}\n` : groupInWords(view, terminal.now()),
    )
    return 0
  })
}

async function results(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('group results', 'the NAME of a group', rest)
  return lookAt(name, flags, terminal, async groups =>
    printResults(await groups.results(name), flags.json === true, terminal),
  )
}

async function cancel(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('group cancel', 'the NAME of a group', rest)
  return lookAt(name, flags, terminal, async groups => {
    const ended = await groups.cancel(name, {
      by: operatorOf(terminal.env),
      ...present({ reason: flags.reason }),
    })
    if (flags.json) terminal.stdout(`${JSON.stringify({ group: name, cancelled: ended })}\n`)
    else terminal.stdout(`${name}: ${ended} run${ended === 1 ? '' : 's'} cancelled\n`)
    return 0
  })
}

async function start(rest: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const name = onlyArgument('group start', 'the NAME of a [[group]]', rest)
  return withActingQueue(flags, terminal, async runtime => {
    const config = groupConfig(runtime, name)
    if (!config || config.prompts.length === 0) {
      const known = startable(runtime)
      throw new UsageError(
        config
          ? `[[group]] ${JSON.stringify(name)} has no prompts; give them to "mulligan run --group ${name} --queue -- PROMPT…"`
          : `there is no [[group]] ${JSON.stringify(name)}; ${known.length > 0 ? `known: ${known.map(each => each.name).join(', ')}` : 'the config has none with prompts'}`,
      )
    }
    const { agents } = choose(runtime.agents, { pool: config.pool }, terminal)
    if (agents.length === 0)
      throw new UsageError('no agent CLI is installed; "mulligan doctor" says how to get one')
    const asked = {
      group: name,
      prompts: config.prompts,
      each: { cwd: terminal.cwd, options: config.worktree ? { worktree: true } : {} },
      agents,
      repeatable: config.worktree,
      session: sessionOf(undefined, terminal),
      key: flags.key,
      wait: flags.wait,
    }
    return runGroup(asked, runtime, flags.json === true, terminal)
  })
}

/** Groups of the config that can be started by their name. */
function startable({ loaded }: QueueRuntime): GroupConfig[] {
  return loaded.config.groups.filter(({ prompts }) => prompts.length > 0)
}

type Look = (groups: Groups, runtime: QueueRuntime) => Promise<number>

function look(flags: Flags, terminal: Terminal, work: Look): Promise<number> {
  return withQueue(flags, terminal, runtime => work(new Groups(runtime.queue), runtime), {
    absent: 'look',
    shows: true,
  })
}

/** The same for one group; if only the config has it, says how to start it. */
function lookAt(name: string, flags: Flags, terminal: Terminal, work: Look): Promise<number> {
  return look(flags, terminal, async (groups, runtime) => {
    if (startable(runtime).some(group => group.name === name) && !(await groups.names()).includes(name))
      throw new WorkflowError('missing', `${name} has no runs yet; to start it: mulligan group start ${name}`)
    return work(groups, runtime)
  })
}
