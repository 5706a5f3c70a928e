import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

// An MCP server that fails in every way it knows, behind the wrap, called by the official client: every call must have an
// answer, and nothing that may have happened may happen again. With kills, the wrap itself dies in between as well.

/** How a run of faults is made. */
export interface McpCrashOptions {
  /** Calls that the client makes. */
  calls: number
  /** How the wrap reaches the server. */
  transport: 'stdio' | 'http'
  /** The revision that the client speaks. */
  era: 'session' | 'stateless'
  /** The revisions that the server speaks. Default both. */
  server?: 'session' | 'stateless' | 'both'
  /** How often the wrap itself is killed. Default 0. */
  kills?: number
  /** Calls that are made at once. Default 8. */
  atOnce?: number
  /** Whether results of queued calls are waited for, which takes half a minute. Default true. */
  isWaitedFor?: boolean
  /** The program of the wrap. Default that of this clone. */
  command?: string
}

/** What came of it. */
export interface McpCrashReport {
  calls: number
  /** Calls that got an answer: a result, or an error that says what is known. */
  answered: number
  /** Calls whose connection broke because the wrap was killed: the client knows that it has no answer. */
  broken: number
  /** Calls without an answer although the wrap lived. */
  unanswered: number
  succeeded: number
  queued: number
  /** Queued calls whose result was there in the end. */
  delivered: number
  /** Queued calls that ended without one and may have happened: another call ended the server in between. */
  unsure: number
  /** Queued calls that ended without one and, as was said, did not happen. */
  undone: number
  /** What was said of all other queued calls. */
  missing: string[]
  /** Failed calls whose answer does not say whether they may have happened. */
  silent: number
  /** Effects of tools that must not be repeated, beyond the first of each call. */
  unsafe: number
  /** Answers, also later ones to queued calls, that claim success without an effect, or none although there was one. */
  untrue: number
  /** Times that the server died. */
  deaths: number
  /** Calls made right after a death that did not get through. */
  notRecovered: number
  /** Processes of servers that were left over. */
  leftOver: number
}

const SERVER = fileURLToPath(new URL('../test/gateway/mcp/wrap/faulty-server.ts', import.meta.url))
const COMMAND = fileURLToPath(new URL('../bin/mulligan.js', import.meta.url))

const COMMON = [
  ...Array<string>(16).fill('none'),
  'error_32000',
  'error_32001',
  'throttled',
  'wrong_id',
  'hang',
]
const FAULTS = {
  stdio: [...COMMON, 'die_before', 'die_after', 'die_during', 'garbage'],
  http: [...COMMON, 'die_before', 'die_after', 'status_429', 'status_503', 'status_500', 'cut'],
}
const TOOLS = ['write', 'write', 'atomic', 'read', 'put']
const DEADLY = ['die_before', 'die_after', 'die_during']

interface Call {
  id: string
  tool: string
  fault: string
  end?: 'succeeded' | 'failed' | 'queued' | 'broken' | 'unanswered'
  text?: string
  effect?: string
  operation?: string
}

/** Makes all calls, and holds what happened against what was answered. */
export async function crashMcp(options: McpCrashOptions): Promise<McpCrashReport> {
  const { transport, calls: count, atOnce = 8, kills = 0 } = options
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-crash-mcp-'))
  const server = transport === 'http' ? await HttpServer.start(folder, options.server) : undefined
  const random = seeded(count * 7 + kills)
  const faults = FAULTS[transport]
  const calls: Call[] = Array.from({ length: count }, (_, n) => ({
    id: `c${n}`,
    tool: TOOLS[Math.floor(random() * TOOLS.length)] as string,
    fault: faults[Math.floor(random() * faults.length)] as string,
  }))
  const killAfter = new Set(Array.from({ length: kills }, (_, n) => Math.floor(((n + 0.5) * count) / kills)))
  let wrap = Wrapped.start(folder, options, server?.url)
  await wrap
  let next = 0
  let notRecovered = 0
  const worker = async () => {
    while (next < calls.length) {
      const index = next++
      const call = calls[index] as Call
      if (killAfter.has(index)) {
        const killed = await wrap
        // Others are in the middle of their calls.
        killed.kill()
        wrap = Wrapped.start(folder, options, server?.url)
      }
      const used = await wrap
      await used.call(call)
      if (!DEADLY.includes(call.fault) || used.isKilled) continue
      // A tool that may be repeated: others may end the server again meanwhile.
      const after: Call = { id: `${call.id}-after`, tool: 'read', fault: 'none' }
      await used.call(after)
      if (after.end !== 'succeeded' && after.end !== 'queued' && !used.isKilled) notRecovered++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const last = await wrap
  const queued = calls.filter(({ end }) => end === 'queued')
  const results = await last.results(options.isWaitedFor === false ? [] : queued)
  await last.close()
  await server?.stop()
  // Whoever is ended by force has two seconds.
  for (let times = 0; times < 25 && leftOver(folder) > 0; times++) await delay(100)
  const { ends, ...counts } = results
  const report = { ...reportOf(folder, calls, ends), ...counts, notRecovered, leftOver: leftOver(folder) }
  rmSync(folder, { recursive: true, force: true })
  return report
}

/** The wrap as a process of its own, with its client. */
class Wrapped {
  isKilled = false
  readonly #client: Client
  readonly #transport: StdioClientTransport

  private constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client
    this.#transport = transport
  }

  static async start(folder: string, options: McpCrashOptions, url: string | undefined): Promise<Wrapped> {
    const { era, server = 'both', command = COMMAND } = options
    const target = url === undefined ? ['--', process.execPath, SERVER, folder, server] : [url]
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        command,
        ...[
          'mcp',
          'wrap',
          '--name',
          'faulty',
          '--data',
          join(folder, 'data'),
          // A busy machine is no fault of the server.
          '--timeout',
          '1s',
          '--start-timeout',
          '2m',
          '--atomic',
          'atomic',
        ],
        ...target,
      ],
      env: { ...(process.env as Record<string, string>), HOME: folder },
      stderr: process.env.CRASH_VERBOSE ? 'inherit' : 'ignore',
    })
    const client = new Client(
      { name: 'crash', version: '1' },
      era === 'stateless' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
    )
    await client.connect(transport)
    return new Wrapped(client, transport)
  }

  async call(call: Call): Promise<void> {
    try {
      const answer = (await this.#client.callTool({
        name: call.tool,
        arguments: { id: call.id, fault: call.fault },
      })) as {
        isError?: boolean
        content: { text: string }[]
        _meta?: Record<string, unknown>
      }
      call.text = answer.content.map(({ text }) => text).join('\n')
      const { queued_for_retry, operation_id, mulligan } = answer._meta ?? {}
      call.end = queued_for_retry === true ? 'queued' : answer.isError === true ? 'failed' : 'succeeded'
      if (queued_for_retry === true) call.operation = String(operation_id)
      call.effect = (mulligan as { failure?: { effect?: string } } | undefined)?.failure?.effect ?? ''
    } catch (error) {
      const { code, message, data } = error as { code?: unknown; message: string; data?: unknown }
      // An error of the protocol is an answer too; a broken connection is none.
      const isAnswer = typeof code === 'number' && !/closed/i.test(message)
      call.end = isAnswer ? 'failed' : this.isKilled ? 'broken' : 'unanswered'
      call.text = message
      const known = data as { mulligan?: { failure?: { effect?: string } } } | undefined
      call.effect = known?.mulligan?.failure?.effect ?? ''
    }
  }

  /** What became of queued calls in the end. */
  async results(queued: readonly Call[]): Promise<Results> {
    const results: Results = { delivered: 0, unsure: 0, undone: 0, missing: [], ends: new Map() }
    for (const { id, operation } of queued) {
      const { isDone, text } = await this.#endOf(operation)
      if (isDone) {
        results.delivered++
        results.ends.set(id, 'done')
      } else if (text.includes(MAYBE)) results.unsure++
      else if (text.includes(UNDONE)) {
        results.undone++
        results.ends.set(id, 'undone')
      } else results.missing.push(`${operation}: ${text}`)
    }
    return results
  }

  async #endOf(operation: string | undefined): Promise<{ isDone: boolean; text: string }> {
    let text = ''
    for (let times = 0; times < 40; times++) {
      const answer = (await this.#client.callTool({
        name: 'mulligan_result',
        arguments: { operation_id: operation, wait_seconds: 10 },
      })) as {
        isError?: boolean
        _meta?: { queued_for_retry?: boolean; parked_for?: string }
        content: { text: string }[]
      }
      text = answer.content[0]?.text ?? ''
      const { queued_for_retry, parked_for } = answer._meta ?? {}
      if (queued_for_retry !== true || parked_for !== undefined)
        return { isDone: answer.isError !== true, text }
    }
    return { isDone: false, text }
  }

  kill(): void {
    this.isKilled = true
    if (this.#transport.pid !== null) process.kill(this.#transport.pid, 'SIGKILL')
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

/** What became of queued calls, and of those that are known, whether they happened. */
interface Results extends Pick<McpCrashReport, 'delivered' | 'unsure' | 'undone' | 'missing'> {
  ends: Map<string, 'done' | 'undone'>
}

/** How answers say whether a call took effect. */
const MAYBE = 'may have happened'
const UNDONE = 'not carried out'

/** A server over HTTP that is started again whenever it dies, as a service is. */
class HttpServer {
  readonly url: string
  readonly #start: () => ChildProcess
  #child: ChildProcess
  #isStopped = false

  private constructor(url: string, child: ChildProcess, start: () => ChildProcess) {
    this.url = url
    this.#child = child
    this.#start = start
    this.#watch()
  }

  static async start(folder: string, era: string = 'both'): Promise<HttpServer> {
    const launch = (port: number) =>
      spawn(process.execPath, [SERVER, folder, era, 'http'], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, FAULT_PORT: `${port}` },
      })
    const child = launch(0)
    const port = await new Promise<string>(resolve => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve)
    })
    return new HttpServer(`http://127.0.0.1:${port}/mcp`, child, () => launch(Number(port)))
  }

  #watch(): void {
    this.#child.once('exit', () => {
      if (this.#isStopped) return
      this.#child = this.#start()
      this.#watch()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const gone = new Promise(resolve => this.#child.once('exit', resolve))
    this.#child.kill()
    await gone
  }
}

function reportOf(
  folder: string,
  calls: readonly Call[],
  ends: ReadonlyMap<string, 'done' | 'undone'>,
): Omit<McpCrashReport, 'delivered' | 'unsure' | 'undone' | 'missing' | 'notRecovered' | 'leftOver'> {
  const happened = new Map<string, number>()
  for (const id of lines(folder, 'effects')) happened.set(id, (happened.get(id) ?? 0) + 1)
  const count = (end: Call['end']) => calls.filter(call => call.end === end).length
  const unrepeatable = calls.filter(({ tool }) => tool === 'write' || tool === 'atomic')
  const unsafe = unrepeatable.reduce((sum, { id }) => sum + Math.max(0, (happened.get(id) ?? 0) - 1), 0)
  const untrue = calls.filter(({ id, tool, end, effect }) => {
    if (tool === 'read') return false
    if (end === 'succeeded' || ends.get(id) === 'done') return !happened.has(id)
    const isUndone = (end === 'failed' && effect === 'none') || ends.get(id) === 'undone'
    return isUndone && happened.has(id)
  })
  const silent = calls.filter(
    ({ end, text = '' }) => end === 'failed' && !text.includes(MAYBE) && !text.includes(UNDONE),
  )
  return {
    calls: calls.length,
    answered: count('succeeded') + count('failed') + count('queued'),
    broken: count('broken'),
    unanswered: count('unanswered'),
    succeeded: count('succeeded'),
    queued: count('queued'),
    unsafe,
    untrue: untrue.length,
    silent: silent.length,
    deaths: calls.filter(({ fault }) => DEADLY.includes(fault)).length,
  }
}

function lines(folder: string, file: string): string[] {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

/** Servers that are still there although nobody needs them. Only Linux tells. */
function leftOver(folder: string): number {
  try {
    const { readdirSync } = process.getBuiltinModule('node:fs')
    return readdirSync('/proc').filter(pid => {
      if (!/^\d+$/.test(pid)) return false
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return words.includes(folder) && words.includes(SERVER)
      } catch {
        return false
      }
    }).length
  } catch {
    return 0
  }
}

/** The same faults in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
