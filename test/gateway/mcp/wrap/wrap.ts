import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client'
import { CapabilityRegistry } from '../../../../src/capability/registry.ts'
import { Secrets } from '../../../../src/capability/secret/secrets.ts'
import { EmbeddedEngine } from '../../../../src/engine/embedded/embedded-engine.ts'
import type { Era } from '../../../../src/gateway/mcp/era.ts'
import { LineReader } from '../../../../src/gateway/mcp/lines.ts'
import { LateGate } from '../../../../src/gateway/mcp/wrap/late-gate.ts'
import {
  IDLE_TIMEOUT_DEFAULT_MS,
  START_TIMEOUT_DEFAULT_MS,
  TIMEOUT_DEFAULT_MS,
  type UpstreamSettings,
} from '../../../../src/gateway/mcp/wrap/upstream-settings.ts'
import { Wrap, type WrapOptions } from '../../../../src/gateway/mcp/wrap/wrap.ts'
import { LEDGER_NAME } from '../../../../src/ledger/location.ts'
import { openLedger } from '../../../../src/ledger/sqlite/sqlite-ledger.ts'
import { NodeHealth } from '../../../../src/process/node-health.ts'
import { Queue } from '../../../../src/queue/queue.ts'
import { realTime } from '../../../../src/time/time.ts'

/** The program of a server that fails on command. */
export const FAULTY_SERVER = fileURLToPath(new URL('faulty-server.ts', import.meta.url))

/** The program of a server whose tools ask their client. */
export const ASKING_SERVER = fileURLToPath(new URL('asking-server.ts', import.meta.url))

/** Settings of a server that is a program. */
export function programSettings(
  argv: readonly [string, ...string[]],
  more: Partial<UpstreamSettings> & { env?: Record<string, string> } = {},
): UpstreamSettings {
  const { env = {}, ...settings } = more
  return {
    name: 'faulty',
    target: { by: 'stdio', argv, cwd: process.cwd(), env: { ...process.env, ...env } },
    startTimeoutMs: START_TIMEOUT_DEFAULT_MS,
    timeoutMs: TIMEOUT_DEFAULT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_DEFAULT_MS,
    tools: {},
    ...settings,
  }
}

/** A server that fails on command, in a folder of its own. */
export function faultySettings(
  folder: string,
  era: Era | 'both' = 'both',
  more: Parameters<typeof programSettings>[1] = {},
): UpstreamSettings {
  return programSettings([process.execPath, FAULTY_SERVER, folder, era], more)
}

/** A wrap in this process, and its client's ends of the pipes. */
export interface TestWrap {
  wrap: Wrap
  queue: Queue
  /** What was noted for operators. */
  notes: string[]
  /** A client of the official package that is connected. */
  client(era: Era, options?: ClientOptions): Promise<Client>
  /** The client's ends of the pipes, for raw messages. */
  pipes: { toWrap: PassThrough; fromWrap: PassThrough }
  /** Sends a message as it is and gives the line of the answer with its id. */
  raw(message: { id: unknown; method: string; params?: object }): Promise<string>
  /** Every line that came from the wrap. */
  lines: string[]
  close(): Promise<void>
}

/** Starts a wrap on a data folder. */
export async function startWrap(
  data: string,
  upstreams: readonly UpstreamSettings[],
  options: Partial<WrapOptions> = {},
): Promise<TestWrap> {
  const { time = realTime } = options
  const notes: string[] = []
  const gate = new LateGate()
  const wrap = new Wrap({
    upstreams,
    folder: data,
    gate,
    classify: () => ({ now: time.now() }),
    onStderr: () => {},
    note: line => notes.push(line),
    ...options,
  })
  const ledger = await openLedger({ file: join(data, LEDGER_NAME), time })
  const engine = new EmbeddedEngine({ ledger })
  const health = new NodeHealth({ providers: wrap.providers, store: ledger.providers, time })
  const registry = new CapabilityRegistry(wrap.capabilities)
  const secrets = new Secrets({ folder: data, env: {} })
  const queue = new Queue({ ledger, engine, health, registry, secrets })
  gate.open(health)
  wrap.keepIn(queue)
  const runner = queue.runner()
  await runner.start()
  const toWrap = new PassThrough()
  const fromWrap = new PassThrough()
  const lines: string[] = []
  const waiting = new Map<unknown, (line: string) => void>()
  const reader = new LineReader(line => {
    const text = line.toString('utf8').trimEnd()
    lines.push(text)
    const { id, method } = JSON.parse(text) as { id?: unknown; method?: unknown }
    if (method === undefined) waiting.get(id)?.(text)
  })
  fromWrap.on('data', (chunk: Buffer) => reader.push(chunk))
  const served = wrap.serve({ input: toWrap, output: fromWrap })
  return {
    wrap,
    queue,
    notes,
    pipes: { toWrap, fromWrap },
    lines,
    raw: message =>
      new Promise(resolve => {
        waiting.set(message.id, resolve)
        toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      }),
    client: async (era, clientOptions = {}) => {
      const client = new Client(
        { name: 'test', version: '1' },
        {
          ...clientOptions,
          ...(era === 'stateless' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
        },
      )
      await client.connect(streamTransport(toWrap, fromWrap))
      return client
    },
    close: async () => {
      toWrap.end()
      await served
      await wrap.close()
      await queue.close()
      await engine.close()
      await ledger.close()
    },
  }
}

/** A transport of the official client over two streams. */
export function streamTransport(output: PassThrough, input: PassThrough): Transport {
  const transport = {
    onmessage: undefined as ((message: never) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    start: async () => {
      const lines = new LineReader(line => transport.onmessage?.(JSON.parse(line.toString('utf8')) as never))
      input.on('data', (chunk: Buffer) => lines.push(chunk))
      input.once('end', () => transport.onclose?.())
    },
    send: async (message: unknown) => {
      output.write(`${JSON.stringify(message)}\n`)
    },
    close: async () => transport.onclose?.(),
  }
  return transport as unknown as Transport
}
