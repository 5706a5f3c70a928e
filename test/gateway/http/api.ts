import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentsOf, poolsOf } from '../../../src/agent/from-config.ts'
import { lookingHealthSettings } from '../../../src/agent/health-from-config.ts'
import type { Capability } from '../../../src/capability/capability.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { LoadedConfig } from '../../../src/config/loaded.ts'
import { trusted } from '../../../src/config/trust.ts'
import { present } from '../../../src/failure/present.ts'
import type { Answered } from '../../../src/gateway/http/app.ts'
import { HttpGateway } from '../../../src/gateway/http/http-gateway.ts'
import type { AnswerKind, Route } from '../../../src/gateway/http/route.ts'
import { httpSettingsOf } from '../../../src/gateway/http/settings.ts'
import { tokenOf } from '../../../src/gateway/http/token-files.ts'
import { NodeHealth } from '../../../src/process/node-health.ts'
import { type OpenedQueue, openQueue } from '../../../src/queue/open.ts'
import { realTime, type Time } from '../../../src/time/time.ts'
import { declaredWorkflows } from '../../../src/workflow/from-config.ts'

/** Settings of a {@link TestApi}. */
export interface TestApiOptions {
  /** Text of mulligan.toml; `[http] port` is set to a free one. Default empty. */
  toml?: string
  capabilities?: readonly Capability[]
  time?: Time
  /** Folder of the dashboard. Default none. */
  dashboard?: string
}

/** A request of a test. */
export interface Sent {
  method?: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** Default the full token; null: none. */
  token?: string | null
}

/** An answer with its body. */
export interface Received {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON
  json: any
}

/** A gateway with a queue in a temporary folder, on a free port. For tests. */
export class TestApi {
  readonly folder: string
  readonly queue: OpenedQueue
  gateway: HttpGateway
  readonly loaded: LoadedConfig
  readonly answered: Answered[] = []
  /** Number of requests that wait for an operation to end. */
  waiting = 0
  /** Whether a config is in force. */
  isReady = true
  readonly #health: NodeHealth
  readonly #make: () => HttpGateway

  private constructor(
    folder: string,
    queue: OpenedQueue,
    health: NodeHealth,
    loaded: LoadedConfig,
    time: Time,
    dashboard: string | undefined,
  ) {
    this.folder = folder
    this.queue = queue
    this.loaded = loaded
    this.#health = health
    const wait = queue.wait.bind(queue)
    queue.wait = (id, options) => {
      this.waiting += 1
      return wait(id, options)
    }
    const settings = httpSettingsOf(loaded, { env: {}, cwd: folder })
    if (!settings) throw new Error('[http] is off')
    const workflows = declaredWorkflows(loaded)
    const prompting = { agents: agentsOf(trusted(loaded), {}), cwd: folder }
    const current = () => (this.isReady ? { loaded, queue, health, workflows, prompting } : undefined)
    this.#make = () =>
      new HttpGateway({
        settings,
        facilities: { current, ledger: queue.ledger, folder, env: {}, time },
        version: '1.2.3',
        ...present({ dashboard }),
        onAnswer: answered => this.answered.push(answered),
      })
    this.gateway = this.#make()
  }

  static async start({
    toml = '',
    capabilities = [],
    time = realTime,
    dashboard,
  }: TestApiOptions = {}): Promise<TestApi> {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-http-'))
    const file = join(folder, 'mulligan.toml')
    writeFileSync(file, toml)
    const flags = { 'http.port': { flag: '--http-port', value: 0 } }
    const loaded = loadConfig({ flag: file, env: {}, cwd: folder, flags })
    const health = new NodeHealth({ ...lookingHealthSettings(loaded, { env: {} }), time })
    const queue = await openQueue({
      data: folder,
      capabilities,
      health,
      pools: poolsOf(loaded.config),
      time,
      env: {},
    })
    const api = new TestApi(folder, queue, health, loaded, time, dashboard)
    await api.gateway.start()
    return api
  }

  get url(): string {
    return this.gateway.url as string
  }

  get token(): string {
    return tokenOf(this.folder, 'full')
  }

  get readOnlyToken(): string {
    return tokenOf(this.folder, 'read_only')
  }

  /** Sends a request over a real socket. */
  async send(path: string, { method = 'GET', body, headers = {}, token }: Sent = {}): Promise<Received> {
    const authorization = token === null ? {} : { authorization: `Bearer ${token ?? this.token}` }
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text }
  }

  /** The JSON of a GET request. */
  async get(path: string): Promise<Received['json']> {
    return (await this.send(path)).json
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Received> {
    return this.send(path, { method: 'POST', body, headers })
  }

  /** Differences between an answer and its documented schema; empty if it fits. */
  undocumented(route: Pick<Route, 'answers'>, { status, json }: Received): string[] {
    const kind = (route.answers as Record<number, AnswerKind>)[status]
    if (!kind?.schema) return [`status ${status}: ${JSON.stringify(json)}`]
    const parsed = kind.schema.safeParse(json)
    if (!parsed.success)
      return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    return differences('', json, parsed.data)
  }

  /** Stops the gateway and starts another on the same data folder. */
  async restart(): Promise<void> {
    await this.gateway.stop()
    this.gateway = this.#make()
    await this.gateway.start()
  }

  async close(): Promise<void> {
    await this.gateway.stop()
    await this.queue.close()
    await this.#health.dispose()
  }
}

/** Fields that a schema does not have. */
function differences(path: string, given: unknown, kept: unknown): string[] {
  if (Array.isArray(given))
    return given.flatMap((inner, index) =>
      differences(`${path}[${index}]`, inner, (kept as unknown[])[index]),
    )
  if (typeof given !== 'object' || given === null) return []
  return Object.entries(given).flatMap(([key, inner]) =>
    Object.hasOwn(kept as object, key)
      ? differences(`${path}.${key}`, inner, (kept as Record<string, unknown>)[key])
      : [`${path}.${key} is not documented`],
  )
}
