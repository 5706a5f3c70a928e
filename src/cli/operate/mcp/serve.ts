import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { TrustedConfig } from '../../../config/loaded.ts'
import { UntrustedConfig } from '../../../config/untrusted.ts'
import { version } from '../../../daemon/version.ts'
import { Previews } from '../../../gateway/http/previews.ts'
import { AskingAgain } from '../../../gateway/mcp/asking-again.ts'
import { mcpServerOf } from '../../../gateway/mcp/server/server.ts'
import { sessionNameOf } from '../../../gateway/mcp/server/session.ts'
import { StdioTransport } from '../../../gateway/mcp/server/stdio-transport.ts'
import { type Rights, Told, type ToolHost } from '../../../gateway/mcp/server/tool.ts'
import { cleaningUp } from '../../../time/clean-up.ts'
import { realTime } from '../../../time/time.ts'
import { declaredWorkflows, workflowsOf } from '../../../workflow/from-config.ts'
import { parseArguments, UsageError } from '../../flag/arguments.ts'
import { SESSION_VARIABLE, sessionOf } from '../../flag/session-flag.ts'
import { type QueueRuntime, withActingQueue, withQueue } from '../../runtime/queue-runtime.ts'
import { RUNTIME_OPTIONS, RUNTIME_USAGE } from '../../runtime/runtime.ts'
import type { Terminal } from '../../terminal.ts'
import { type OwnStreams, ownStreams } from './own-streams.ts'
import { StandInRunner } from './stand-in-runner.ts'

/** How long running work may continue after the client left, in milliseconds; then it is ended and handed back. */
const GRACE_MS = 1_000
/** When the process ends in any case, in milliseconds after the client left. */
const LAST_RESORT_MS = 1_800
/** How long a client has to name its folder, in milliseconds. */
const ROOTS_WITHIN_MS = 2_000

export const usage = `Usage: mulligan mcp [OPTIONS]

An MCP server on stdin and stdout that gives an agent the queue as a few tools: run, status, operations, operation_action,
inbox, unknowns, capabilities and workflow. An agent's client starts it, one process per session. The daemon serves the
same at /mcp.

  --read-only       only tools that change nothing
  --allow-label     the agent may label unknown failures; without it, it only proposes labels to people
  --as-person       the agent counts as a person: it may label, and have operations run again that may have taken effect
  --session S       the session that operations and the inbox belong to; default: ${SESSION_VARIABLE}, else by client and folder
  --no-runner       run nothing in this process but what the agent waits for, even if no daemon is alive
${RUNTIME_USAGE}

To give it to an agent: mulligan mcp add claude (or codex, opencode, gemini, qwen, kimi, copilot, cursor, vscode). It ends when its stdin does.

Exit codes: 0 the client has disconnected, 1 the config or the ledger cannot be used, 2 wrong usage.`

const OPTIONS = {
  ...RUNTIME_OPTIONS,
  'read-only': { type: 'boolean' },
  'allow-label': { type: 'boolean' },
  'as-person': { type: 'boolean' },
  session: { type: 'string' },
  'no-runner': { type: 'boolean' },
} as const

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options: OPTIONS })
  if (positionals.length > 0)
    throw new UsageError(
      `mcp takes no ${JSON.stringify(positionals[0])}; to wrap a server: mulligan mcp wrap`,
    )
  const rights: Rights = {
    readOnly: values['read-only'] === true,
    allowLabel: values['allow-label'] === true,
    asPerson: values['as-person'] === true,
  }
  if (rights.readOnly && (rights.allowLabel || rights.asPerson))
    throw new UsageError('--read-only excludes --allow-label and --as-person')
  const session = sessionOf(values.session, terminal)
  if (terminal.isTerminal)
    terminal.stderr('This is an MCP server; agents start it themselves. Press Ctrl-D to end it.\n')
  const streams = ownStreams()
  const { signal } = terminal
  const serve = (runtime: QueueRuntime, runsHere: boolean) =>
    serveUntilGone({ runtime, runsHere, rights, session, streams, terminal, signal })
  try {
    if (rights.readOnly) await withQueue(values, terminal, runtime => serve(runtime, false))
    else
      await withActingQueue(values, terminal, async runtime => {
        const runner = new StandInRunner(runtime.queue, {
          concurrency: runtime.loaded.config.queue.concurrency,
          isWanted: values['no-runner'] !== true,
          onError: error => terminal.stderr(`mulligan mcp: ${String(error)}\n`),
        })
        await runner.start()
        await cleaningUp(
          () => serve(runtime, true),
          () => runner.stop({ graceMs: GRACE_MS }),
        )
      })
  } catch (error) {
    if (!(error instanceof UntrustedConfig)) throw error
    terminal.stderr(`mulligan mcp: ${error.message}\nUntil then, this process runs nothing.\n`)
    await withQueue(values, terminal, runtime => serve(runtime, false))
  }
  terminal.exit?.(0)
  return 0
}

interface Serving {
  runtime: QueueRuntime
  runsHere: boolean
  rights: Rights
  session: string | undefined
  streams: OwnStreams
  terminal: Terminal
  signal: AbortSignal
}

/** Serves until the client leaves or the process is asked to stop. */
async function serveUntilGone(serving: Serving): Promise<void> {
  const { runtime, runsHere, rights, streams, terminal, signal } = serving
  const { queue, ledger, loaded, health, folder } = runtime
  const workflows = runsHere
    ? await workflowsOf(loaded as TrustedConfig, queue.registry, terminal)
    : declaredWorkflows(loaded)
  const host: ToolHost = {
    facilities: {
      current: () => ({ loaded, queue, health, workflows }),
      ledger,
      folder,
      env: terminal.env,
      time: realTime,
    },
    previews: new Previews(realTime, () => randomBytes(24).toString('base64url')),
    runsHere,
    answered: new Told(),
    shown: new Told(),
    askingAgain: new AskingAgain(),
  }
  const transport = new StdioTransport(streams.input, streams.output)
  const sessionNames = new SessionNames(serving)
  const handle = serveStdio(
    () =>
      mcpServerOf({
        host,
        rights,
        version: version(),
        sessionOf: (client, server) => sessionNames.of(client, server),
        onError: (error, tool) =>
          terminal.stderr(`mulligan mcp: ${tool}: ${error instanceof Error ? error.stack : String(error)}\n`),
      }),
    { transport, onerror: () => {} },
  )
  await gone(transport, signal)
  realTime.after(LAST_RESORT_MS, () => terminal.exit?.(0))
  await handle.close().catch(() => {})
}

/** Resolves when the client leaves or the process is asked to stop. */
function gone(transport: StdioTransport, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    void transport.closed.then(resolve)
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The client's session: the given name, else one made from the client's name and folder. */
class SessionNames {
  readonly #given: string | undefined
  readonly #cwd: string
  #workspace: Promise<string> | undefined

  constructor({ session, terminal }: Pick<Serving, 'session' | 'terminal'>) {
    this.#given = session
    this.#cwd = terminal.cwd
  }

  async of(client: string | undefined, server: McpServer): Promise<string> {
    if (this.#given !== undefined) return this.#given
    this.#workspace ??= workspaceOf(server, this.#cwd)
    return sessionNameOf(client, await this.#workspace)
  }
}

/** The client's first root if it names one, else the folder in which it started us. */
async function workspaceOf(server: McpServer, cwd: string): Promise<string> {
  if (
    !server.server.getClientCapabilities()?.roots ||
    server.server.getNegotiatedProtocolVersion?.() === undefined
  )
    return cwd
  try {
    const { roots } = await server.server.listRoots(undefined, { timeout: ROOTS_WITHIN_MS })
    const uri = roots.find(root => root.uri.startsWith('file://'))?.uri
    return uri === undefined ? cwd : fileURLToPath(uri)
  } catch {
    return cwd
  }
}
