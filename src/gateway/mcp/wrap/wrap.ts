import type { Readable, Writable } from 'node:stream'
import type { Capability } from '../../../capability/capability.ts'
import type { ClassifyContext } from '../../../failure/context.ts'
import { present } from '../../../failure/present.ts'
import type { Gate } from '../../../provider/gate.ts'
import type { ProviderSettings } from '../../../provider/settings.ts'
import type { Queue } from '../../../queue/queue.ts'
import type { Time } from '../../../time/time.ts'
import { isObject } from '../json-rpc.ts'
import { sessionNameOf } from '../server/session.ts'
import { callCapabilities, callNames } from './call-capability.ts'
import { ClientSession } from './client-session.ts'
import { DurableCalls } from './durable-calls.ts'
import { ListCache } from './list-cache.ts'
import { tellOfOrphans } from './orphan-notice.ts'
import { orphans, orphansIn } from './queued-calls.ts'
import { SERVER_BREAKER } from './server-health.ts'
import { SeveralServers } from './several-servers.ts'
import type { Client } from './upstream.ts'
import { commandHash, identityKey, identityOf } from './upstream-identity.ts'
import type { UpstreamSettings } from './upstream-settings.ts'
import { WithResults } from './with-results.ts'
import { WrappedServer } from './wrapped-server.ts'

/** Time a call waits here before it is stored for later, in milliseconds. */
export const WAIT_HERE_DEFAULT_MS = 20_000

/** What a wrap is made of. */
export interface WrapOptions {
  upstreams: readonly UpstreamSettings[]
  /** Data folder, for cached lists and the key of identities. Undefined to store nothing. */
  folder: string | undefined
  /** Health of servers, shared with all processes on this machine. */
  gate: Gate
  /** Signatures and time zone for the classifier. */
  classify: () => ClassifyContext
  /** The session to notify when calls end. Default: by the client's name, if its folder is known. */
  session?: string
  /** Folder of the client. Default unknown. */
  workspace?: string
  /** Time a call waits here before it is stored for later, in milliseconds. Default 20 s. */
  waitHereMs?: number
  /** Whether clients get the extra tool that gives results of kept calls. Default true. */
  hasResultTool?: boolean
  /** What servers print for people. */
  onStderr: (chunk: Buffer) => void
  /** Reports one line to the operator. */
  note: (line: string) => void
  time?: Time
}

/** MCP servers behind Mulligan, for one client. */
export class Wrap {
  readonly servers: readonly WrappedServer[]
  /** Calls of these servers that can be made again: to be registered with the queue. */
  readonly capabilities: readonly Capability[]
  /** Providers that the servers are, for the health of all processes. */
  readonly providers: readonly ProviderSettings[]
  readonly #options: WrapOptions
  readonly #queue = Promise.withResolvers<Queue | undefined>()
  readonly #several: SeveralServers | undefined
  readonly #met = Promise.withResolvers<void>()
  #session: ClientSession | undefined
  #client: Client | undefined

  constructor(options: WrapOptions) {
    const { upstreams, folder, hasResultTool = true, session, note, time } = options
    this.#options = options
    const key = folder === undefined ? Buffer.alloc(32) : identityKey(folder)
    const deferral = new DurableCalls({
      queue: this.#queue.promise,
      hasResultTool,
      note,
      session: () => session ?? this.#sessionOfClient(),
    })
    const made = upstreams.map(settings => {
      const identity = identityOf(settings, key)
      const names = callNames(settings.name, identity)
      const server: WrappedServer = new WrappedServer(settings, {
        names,
        cache: new ListCache(folder, identity, commandHash(settings, key)),
        gate: options.gate,
        deferral,
        classify: options.classify,
        onStderr: options.onStderr,
        note,
        waitHereMs: options.waitHereMs ?? WAIT_HERE_DEFAULT_MS,
        toClient: line => (this.#several ? this.#several.said(server, line) : this.#session?.send(line)),
        ...present({ time }),
      })
      const capabilities = callCapabilities(settings, names, (call, signal) => server.perform(call, signal))
      return { server, capabilities, names }
    })
    this.servers = made.map(({ server }) => server)
    const isPrefixed = this.servers.length > 1 || this.servers[0]?.settings.prefix !== undefined
    this.#several = isPrefixed
      ? new SeveralServers(this.servers, line => this.#session?.send(line))
      : undefined
    this.capabilities = made.flatMap(({ capabilities }) => capabilities)
    this.providers = made.map(({ names, server }) => ({
      id: names.provider,
      breaker: SERVER_BREAKER,
      ...present({ maxConcurrent: server.settings.concurrency }),
    }))
  }

  /** The queue that keeps calls; undefined if there is none. To be told once. */
  keepIn(queue: Queue | undefined): void {
    this.#queue.resolve(queue)
  }

  /** Resolves when the client has said who it is: servers that are started before would take it for somebody else. */
  get met(): Promise<void> {
    return this.#met.promise
  }

  /** Serves a client until it is gone. */
  async serve(pipes: { input: Readable; output: Writable }): Promise<void> {
    const server = this.#several ?? (this.servers[0] as WrappedServer)
    const withResults = new WithResults(server, {
      queue: this.#queue.promise,
      capabilities: new Set(this.capabilities.map(({ name }) => name)),
      hasTool: this.#options.hasResultTool ?? true,
      ...present({ time: this.#options.time }),
    })
    this.#session = new ClientSession(pipes, withResults, client => {
      this.#client = client
    })
    void this.#session.met.then(() => this.#met.resolve())
    await this.#session.run()
  }

  /**
   * Tells of queued calls that nobody can run.
   * @param gone this wrap's runner, if it is about to end: then what its client queued is meant, else what others left
   */
  async tellOfOrphans(queue: Queue, now: number, gone?: string): Promise<void> {
    const capability = this.capabilities.map(({ name }) => name)
    const own = async () =>
      (await queue.ledger.list({ capability, state: 'scheduled' }, { limit: 200 })).items
    const found = gone === undefined ? await orphansIn(queue) : await orphans(queue, await own(), gone)
    await tellOfOrphans(queue, found, this.#options.workspace, now)
  }

  /** The next process of the same client in the same folder finds what became of its calls. */
  #sessionOfClient(): string | undefined {
    const { workspace } = this.#options
    const info = this.#client?.identity.info
    const name = isObject(info) && typeof info.name === 'string' ? info.name : undefined
    return workspace === undefined ? undefined : sessionNameOf(name, workspace)
  }

  /** Ends all servers. */
  async close(): Promise<void> {
    this.#queue.resolve(undefined)
    await Promise.all(this.servers.map(server => server.close()))
  }
}
