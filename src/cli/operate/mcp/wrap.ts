import { CapabilityRegistry } from '../../../capability/registry.ts'
import { dataFolder } from '../../../config/data-folder.ts'
import { partsOf } from '../../../daemon/config-parts.ts'
import { queueOf } from '../../../daemon/config-queue.ts'
import { present } from '../../../failure/present.ts'
import { upstreamsOf } from '../../../gateway/mcp/wrap/from-config.ts'
import { isHttpAddress } from '../../../gateway/mcp/wrap/http-link.ts'
import { LateGate } from '../../../gateway/mcp/wrap/late-gate.ts'
import {
  IDLE_TIMEOUT_DEFAULT_MS,
  nameOfTarget,
  START_TIMEOUT_DEFAULT_MS,
  TIMEOUT_DEFAULT_MS,
  type ToolSettings,
  type UpstreamSettings,
} from '../../../gateway/mcp/wrap/upstream-settings.ts'
import { WAIT_HERE_DEFAULT_MS, Wrap } from '../../../gateway/mcp/wrap/wrap.ts'
import { nearestOrKnown } from '../../../option/nearest.ts'
import { childEnvironment } from '../../../process/environment.ts'
import type { Queue } from '../../../queue/queue.ts'
import { problemInWords } from '../../../queue/queue-deps.ts'
import { engineOn } from '../../../queue/stored-ledger.ts'
import { EXIT } from '../../exit-code.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { countFlag, positiveDurationFlag } from '../../flag/flags.ts'
import { SESSION_USAGE, sessionOf } from '../../flag/session-flag.ts'
import { ensureTrusted } from '../../runtime/ensure-trusted.ts'
import { loadFor, openRuntime, RUNTIME_OPTIONS, RUNTIME_USAGE, type Runtime } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'
import { readHeader, warnOfSecret } from './header-flag.ts'
import { dryRun } from './wrap-dry-run.ts'

export const usage = `Usage: mulligan mcp wrap [OPTIONS] -- COMMAND ARGS…
       mulligan mcp wrap [OPTIONS] URL
       mulligan mcp wrap [OPTIONS] [NAME…]

Puts Mulligan in front of an MCP server, over stdio. Its tools stay when it dies, and it is started again when it is
needed. A failed call is sent again only if that does no harm; a throttled one is queued, and the agent is told.
Without a command or URL: the servers of [[upstream]] in mulligan.toml, or those of these names; tools of several have the
name of their server before their own.

  --dry-run         start the server, say for each tool what would happen to a failed call, and end; with --json as JSON
  --name NAME       what the server is called; default: its package, file or host
  --identity S      name of the login; sessions with the same one share queue, tools and health; default: by command,
                    folder, headers and credentials in the environment
  --header "N: V"   for a URL: a header of every request; V may be env:NAME. May be given several times
  --replay TOOL     calling this tool twice does no harm. May be given several times
  --atomic TOOL     an error of this tool proves that nothing happened. May be given several times
  --wait D          how long a call waits here before it is queued; default 20s
  --timeout D       longest time of a call; default 1h
  --idle-timeout D  longest time of a call without a sign of life, if the client asks for progress; default 5m
  --start-timeout D longest time until the server answers at all; default 30s
  --concurrency N   calls that run at the same time; default: no limit
  --no-extra-tool   without the tool mulligan_result, by which an agent gets the result of a queued call
${SESSION_USAGE}
${RUNTIME_USAGE}

Exit codes: 0 the client is gone, 1 the config cannot be used, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  name: { type: 'string' },
  identity: { type: 'string' },
  header: { type: 'string', multiple: true },
  replay: { type: 'string', multiple: true },
  atomic: { type: 'string', multiple: true },
  wait: { type: 'string' },
  timeout: { type: 'string' },
  'idle-timeout': { type: 'string' },
  'start-timeout': { type: 'string' },
  concurrency: { type: 'string' },
  'no-extra-tool': { type: 'boolean' },
  session: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Flags = Partial<ReturnType<typeof parseArguments<typeof OPTIONS>>['values']>

/** By then everything has ended or is killed, in milliseconds: clients wait no longer. */
const LAST_RESORT_MS = 1_900

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  const upstreams = await upstreamsFor(positionals, argv.includes('--'), values, terminal)
  if (values['dry-run']) return dryRun(upstreams, values, terminal)
  if (values.json) throw new UsageError('--json is for --dry-run')
  const { pipes } = terminal
  if (!pipes) throw new Error('mcp wrap needs the stdin and stdout of the process')
  if (terminal.isTerminal)
    terminal.stderr('mulligan mcp wrap: this speaks MCP on stdin and stdout; start it from an MCP client\n')
  const code = await serve(upstreams, values, terminal, pipes)
  terminal.exit?.(code)
  return code
}

async function serve(
  upstreams: readonly UpstreamSettings[],
  flags: Flags,
  terminal: Terminal,
  pipes: NonNullable<Terminal['pipes']>,
): Promise<number> {
  const note = (line: string) => terminal.stderr(`mulligan mcp wrap: ${line}\n`)
  const loaded = loadFor(flags, terminal)
  const folder = dataFolder(loaded, terminal)
  const session = sessionOf(flags.session, terminal)
  const waitHereMs = positiveDurationFlag('--wait', flags.wait) ?? WAIT_HERE_DEFAULT_MS
  const gate = new LateGate()
  const { classify } = partsOf(loaded)
  const wrap = new Wrap({
    upstreams,
    folder,
    gate,
    classify: () => ({ signatures: classify.signatures, now: terminal.now(), timeZone: classify.timeZone }),
    waitHereMs,
    hasResultTool: flags['no-extra-tool'] !== true,
    onStderr: chunk => terminal.stderr(chunk),
    note,
    workspace: terminal.cwd,
    ...present({ session }),
  })
  const opening = openQueue(wrap, flags, terminal, gate, note)
  const stopped = new Promise<void>(resolve => {
    terminal.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([wrap.serve(pipes), stopped])
  setTimeout(() => terminal.exit?.(EXIT.done), LAST_RESORT_MS)
  await Promise.all([wrap.close(), opening.then(opened => opened.close())])
  return EXIT.done
}

/** Opens the ledger while the client already talks, because its first messages need no ledger. */
async function openQueue(
  wrap: Wrap,
  flags: Flags,
  terminal: Terminal,
  gate: LateGate,
  note: (line: string) => void,
): Promise<{ close(): Promise<void> }> {
  let runtime: Runtime
  try {
    runtime = await openRuntime(flags, terminal, { onNoState: note, providers: wrap.providers })
  } catch (error) {
    note(`calls cannot be queued: ${(error as Error).message}`)
    wrap.keepIn(undefined)
    gate.open(undefined)
    return { close: async () => {} }
  }
  const { ledger, folder, health } = runtime
  gate.open(health)
  if (!ledger) {
    wrap.keepIn(undefined)
    return { close: () => runtime.close() }
  }
  const engine = await engineOn(ledger)
  const registry = new CapabilityRegistry(wrap.capabilities)
  const onProblem = (problem: Parameters<typeof problemInWords>[0]) => note(problemInWords(problem))
  const queue: Queue = queueOf(runtime, { folder, ledger, engine, health, registry, onProblem }, terminal)
  const runner = queue.runner({ label: `mcp wrap ${process.pid}` })
  const tellOfOrphans = (gone?: string) =>
    wrap
      .tellOfOrphans(queue, terminal.now(), gone)
      .catch(error => note(`cannot tell of calls that nobody runs: ${(error as Error).message}`))
  let isClosing = false
  let starting = Promise.resolve()
  void wrap.met.then(() => {
    if (!isClosing)
      starting = runner
        .start()
        .catch(error => note(`queued calls are not run: ${error.message}`))
        .then(() => tellOfOrphans())
  })
  wrap.keepIn(queue)
  return {
    close: async () => {
      isClosing = true
      await starting
      await tellOfOrphans(runner.id)
      await queue.close()
      await engine.close()
      await runtime.close()
    },
  }
}

async function upstreamsFor(
  positionals: readonly string[],
  isCommand: boolean,
  flags: Flags,
  terminal: Terminal,
): Promise<UpstreamSettings[]> {
  const [first] = positionals
  if (isCommand || (first !== undefined && isHttpAddress(first)))
    return [upstreamOf(positionals, isCommand, flags, terminal)]
  const loaded = loadFor(flags, terminal)
  const known = loaded.config.upstreams.map(({ name }) => name)
  const unknown = positionals.find(name => !known.includes(name))
  if (unknown !== undefined && known.length > 0)
    throw new UsageError(
      `no [[upstream]] is called ${JSON.stringify(unknown)}; ${nearestOrKnown(unknown, known)}`,
    )
  if (unknown !== undefined)
    throw new UsageError(
      `no [[upstream]] is called ${JSON.stringify(unknown)}: the config has none; to wrap a command: mulligan mcp wrap -- ${positionals.join(' ')}`,
    )
  if (known.length === 0)
    throw new UsageError('no command; give it after --, or add [[upstream]] to mulligan.toml')
  const forOne = ONE_SERVER.find(flag => flags[flag] !== undefined)
  if (forOne !== undefined)
    throw new UsageError(`--${forOne} is for a command or URL; give it in [[upstream]] of the config`)
  return upstreamsOf(await ensureTrusted(loaded, terminal), terminal, positionals)
}

/** Flags for one server; configs have their own keys for them. */
const ONE_SERVER = [
  'name',
  'identity',
  'header',
  'replay',
  'atomic',
  'timeout',
  'idle-timeout',
  'start-timeout',
  'concurrency',
] as const

function upstreamOf(
  positionals: readonly string[],
  isCommand: boolean,
  flags: Flags,
  terminal: Terminal,
): UpstreamSettings {
  const { env, cwd } = terminal
  const [first, second] = positionals
  if (first === undefined) throw new UsageError('no command; give it after --')
  if (!isCommand && second !== undefined)
    throw new UsageError(`give one URL; unexpected ${JSON.stringify(second)}`)
  if (isCommand && flags.header)
    throw new UsageError('--header is for a URL; a command gets its keys from the environment')
  const target: UpstreamSettings['target'] = isCommand
    ? { by: 'stdio', argv: positionals as [string, ...string[]], cwd, env: childEnvironment(env) }
    : { by: 'http', url: first, headers: headersOf(flags.header ?? [], terminal) }
  const concurrency = countFlag('--concurrency', flags.concurrency, 1)
  return {
    name: flags.name ?? nameOfTarget(target.by === 'stdio' ? { argv: target.argv } : { url: target.url }),
    target,
    ...present({ identity: flags.identity }),
    startTimeoutMs:
      positiveDurationFlag('--start-timeout', flags['start-timeout']) ?? START_TIMEOUT_DEFAULT_MS,
    timeoutMs: positiveDurationFlag('--timeout', flags.timeout) ?? TIMEOUT_DEFAULT_MS,
    idleTimeoutMs: positiveDurationFlag('--idle-timeout', flags['idle-timeout']) ?? IDLE_TIMEOUT_DEFAULT_MS,
    ...present({ concurrency }),
    tools: toolsOf(flags),
  }
}

function toolsOf({ replay = [], atomic = [] }: Flags): Record<string, ToolSettings> {
  const names = new Set([...replay, ...atomic])
  return Object.fromEntries(
    [...names].map(name => [
      name,
      {
        ...(replay.includes(name) ? { retry: 'replay' as const } : {}),
        ...(atomic.includes(name) ? { atomic: true } : {}),
      },
    ]),
  )
}

function headersOf(
  written: readonly string[],
  { env, stderr }: Pick<Terminal, 'env' | 'stderr'>,
): Record<string, string> {
  return Object.fromEntries(
    written.map(header => {
      const { name, value } = readHeader(header)
      warnOfSecret({ name, value }, stderr)
      if (!value.startsWith('env:')) return [name.toLowerCase(), value]
      const variable = env[value.slice(4)]
      if (!variable) throw new UsageError(`--header ${name}: ${value}: this variable is not set`)
      return [name.toLowerCase(), variable]
    }),
  )
}
