import { statusOfKnown } from '../../agent/known-provider.ts'
import { UnknownName } from '../../option/unknown-name.ts'
import type { ProbeResult } from '../../provider/probe.ts'
import type { ProviderStatus } from '../../provider/provider-status.ts'
import { probeToJson, providerToJson } from '../../shape/provider-json.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { dueFlag } from '../flag/flags.ts'
import { onlyArgument, subcommandOf } from '../flag/subcommand.ts'
import { printJson } from '../print/print-json.ts'
import {
  RUNTIME_OPTIONS,
  RUNTIME_USAGE,
  type Runtime,
  withActingRuntime,
  withRuntime,
} from '../runtime/runtime.ts'
import type { Terminal } from '../terminal.ts'
import { providerInDetail, providersInWords, stateInWords } from './provider-words.ts'

export const usage = `Usage: mulligan providers ls|show|reset|pause|resume|probe [PROVIDER] [OPTIONS]

  ls                list providers: whether each takes calls, why not and until when, and its usage windows
  show PROVIDER     show everything about one provider, including the failure that blocked it
  reset PROVIDER    clear its blocks and close its breaker
  pause PROVIDER    send it no calls until it is resumed or --until is reached
  resume PROVIDER   send it calls again
  probe [PROVIDER]  run its probe now; without PROVIDER, every configured probe

  --reason TEXT     with pause: why
  --until TIME      with pause: when it ends by itself, such as 2026-11-15T20:00:00Z, or 2h for in two hours
  --json            JSON on stdout
${RUNTIME_USAGE}

All processes on the same data folder share this state, including a running daemon.

Exit codes: 0 done (probe: all answered), 1 a probe failed, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  reason: { type: 'string' },
  until: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Flags {
  reason?: string | undefined
  until?: string | undefined
  json?: boolean | undefined
}

interface Subcommand {
  /** Read-only commands create no state. */
  looks?: true
  /** Commands that start programs need a trusted config. */
  acts?: true
  run(runtime: Runtime, names: readonly string[], flags: Flags, terminal: Terminal): Promise<number>
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  ls: { looks: true, run: list },
  show: { looks: true, run: show },
  reset: { run: changing('reset') },
  pause: { run: changing('pause') },
  resume: { run: changing('resume') },
  probe: { acts: true, run: probe },
}

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const [name, ...names] = positionals
  const subcommand = subcommandOf('providers', name, SUBCOMMANDS)
  const work = (runtime: Runtime) => subcommand.run(runtime, names, values, terminal)
  const { looks = false } = subcommand
  const options = { absent: looks ? 'keep_out' : 'make', shows: looks } as const
  return subcommand.acts
    ? withActingRuntime(values, terminal, options, work)
    : withRuntime(values, terminal, options, work)
}

async function list(
  { health, loaded }: Runtime,
  names: readonly string[],
  { json }: Flags,
  terminal: Terminal,
) {
  if (names.length > 0)
    throw new UsageError(
      `providers ls takes no ${JSON.stringify(names[0])}; to show one provider: providers show`,
    )
  const statuses = await health.status()
  if (json) printJson(terminal, { providers: statuses.map(providerToJson) })
  else if (statuses.length > 0) terminal.stdout(providersInWords(statuses, terminal.now()))
  else
    terminal.stdout(
      loaded.isBroken
        ? 'No provider has been used; those of the broken config cannot be read.\n'
        : 'No provider is configured or has been used. Add a [[provider]] to mulligan.toml.\n',
    )
  return 0
}

async function show(runtime: Runtime, names: readonly string[], { json }: Flags, terminal: Terminal) {
  const status = await statusOf(runtime, onlyArgument('providers show', 'a PROVIDER', names))
  if (json) printJson(terminal, providerToJson(status))
  else terminal.stdout(providerInDetail(status, terminal.now()))
  return 0
}

type Change = (runtime: Runtime, id: string, flags: Flags, terminal: Terminal) => Promise<void>

/** Changes a provider by hand, and prints its new state. */
function changing(name: keyof typeof CHANGES): Subcommand['run'] {
  return async (runtime, names, flags, terminal) => {
    const { id } = await statusOf(runtime, onlyArgument(`providers ${name}`, 'a PROVIDER', names))
    await CHANGES[name](runtime, id, flags, terminal)
    const status = await statusOf(runtime, id)
    if (flags.json) printJson(terminal, providerToJson(status))
    else terminal.stdout(`${id}: ${stateInWords(status)}\n`)
    return 0
  }
}

const CHANGES: Readonly<Record<'reset' | 'pause' | 'resume', Change>> = {
  reset: ({ health }, id) => health.reset(id),
  pause: ({ health }, id, { reason, until }, terminal) =>
    health.pause(id, reason, dueFlag('--until', until, terminal.now())),
  resume: ({ health }, id) => health.resume(id),
}

async function probe(runtime: Runtime, names: readonly string[], { json }: Flags, terminal: Terminal) {
  const { health } = runtime
  const results =
    names.length === 0
      ? await health.probeAll(terminal.signal)
      : [
          await health.probe(
            (await statusOf(runtime, onlyArgument('providers probe', 'one PROVIDER', names))).id,
            terminal.signal,
          ),
        ]
  if (json) printJson(terminal, { probes: results.map(probeToJson) })
  else terminal.stdout(probesInWords(results))
  return results.every(({ outcome }) => outcome === 'answered') ? 0 : 1
}

function probesInWords(results: readonly ProbeResult[]): string {
  if (results.length === 0) return 'No provider has a probe. Add [provider.probe] to its [[provider]].\n'
  return results
    .map(({ provider, outcome, reason }) =>
      outcome === 'answered' ? `${provider}: answered\n` : `${provider}: ${OUTCOMES[outcome]}: ${reason}\n`,
    )
    .join('')
}

const OUTCOMES = {
  failed: 'failed',
  environment: 'could not be probed',
  skipped: 'skipped',
} as const

async function statusOf({ health, loaded }: Runtime, id: string): Promise<ProviderStatus> {
  try {
    return await statusOfKnown(health, loaded.config, id)
  } catch (error) {
    if (error instanceof UnknownName) throw new UsageError(error.message)
    throw error
  }
}
