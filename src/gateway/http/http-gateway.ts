import { randomBytes } from 'node:crypto'
import { getRequestListener } from '@hono/node-server'
import { recordChange } from '../../ledger/change.ts'
import { removeAddress, writeAddress } from './address-file.ts'
import { type Answered, appOf } from './app.ts'
import { browsersFile } from './browsers-file.ts'
import { changeOf } from './change-of.ts'
import { Dashboard } from './dashboard.ts'
import { EventFeed } from './event-feed.ts'
import type { Facilities } from './facilities.ts'
import { FailedLogins } from './failed-logins.ts'
import { Guard } from './guard.ts'
import { History } from './history.ts'
import { Hosts } from './hosts.ts'
import { type Listener, listen } from './listener.ts'
import { Metrics } from './metrics/metrics.ts'
import { openApiOf, openApiRoute } from './openapi.ts'
import { Previews } from './previews.ts'
import { Problem } from './problem.ts'
import type { Route } from './route.ts'
import { auditRoutes } from './routes/audit.ts'
import { changeRoutes } from './routes/changes.ts'
import { configRoutes } from './routes/config.ts'
import { eventRoutes } from './routes/events.ts'
import { exportRoutes } from './routes/export.ts'
import { groupRoutes } from './routes/groups.ts'
import { healthRoutes } from './routes/health.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { insightRoutes } from './routes/insights.ts'
import { labelRoutes } from './routes/labels.ts'
import { ledgerRoutes } from './routes/ledger.ts'
import { McpEndpoint } from './routes/mcp.ts'
import { metricRoutes } from './routes/metrics.ts'
import { noticeRoutes } from './routes/notices.ts'
import { operationRoutes } from './routes/operations.ts'
import { overviewRoutes } from './routes/overview.ts'
import { providerRoutes } from './routes/providers.ts'
import { proxyRoutes } from './routes/proxy.ts'
import { queueRoutes } from './routes/queue.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { submissionRoutes } from './routes/submissions.ts'
import { unknownRoutes } from './routes/unknowns.ts'
import { workflowRoutes } from './routes/workflows.ts'
import { SECURITY_HEADERS } from './send.ts'
import type { HttpSettings } from './settings.ts'
import { SignIn } from './sign-in.ts'
import { TeamTokens } from './team-tokens.ts'
import { Tokens } from './token-files.ts'

/** Time for open requests to finish when the daemon stops, in milliseconds. */
const CLOSE_GRACE_MS = 1_000

/** The answer to a request whose path or host cannot be read. */
function unreadable(error: unknown): Response {
  const isRequest = error instanceof Error && error.name === 'RequestError'
  const { status, headers, body } = (
    isRequest
      ? new Problem(400, 'malformed', `the request cannot be read: ${error.message}`)
      : new Problem(500, 'internal', 'internal error')
  ).toAnswer()
  return new Response(body, { status, headers: { ...SECURITY_HEADERS, ...headers } })
}

/** Settings and collaborators of an {@link HttpGateway}. */
export interface HttpGatewayOptions {
  settings: HttpSettings
  facilities: Facilities
  /** Version of this package, for the OpenAPI document. */
  version: string
  /** Folder of the built dashboard. Default none: only the API is served. */
  dashboard?: string
  /** Called for every answer. Default none. */
  onAnswer?: (answered: Answered) => void
}

/** The daemon's HTTP API: listens, checks callers, and answers. */
export class HttpGateway {
  readonly #options: HttpGatewayOptions
  readonly #signIn: SignIn
  readonly #stopping = new AbortController()
  /** All routes, in the order of the OpenAPI document. */
  readonly routes: readonly Route[]
  readonly #guard: Guard
  readonly #feed: EventFeed
  readonly #metrics: Metrics
  readonly #mcp: McpEndpoint
  readonly #history: History
  #listener: Listener | undefined

  constructor(options: HttpGatewayOptions) {
    const { settings, facilities, version } = options
    const { time, folder } = facilities
    this.#options = options
    const tokens = Tokens.open(folder)
    this.#signIn = new SignIn({ time, randomBytes, kept: browsersFile(folder) })
    // Browsers accept a cookie with this prefix only from the host itself, over TLS.
    const cookie = settings.tls ? '__Host-mulligan_browser' : 'mulligan_browser'
    this.#guard = new Guard({
      hosts: new Hosts(settings.address, settings.hosts),
      tokens,
      team: new TeamTokens(folder),
      signIn: this.#signIn,
      now: () => time.now(),
      ...(settings.proxy ? { proxy: settings.proxy } : {}),
      failedLogins: new FailedLogins(time),
      cookie,
    })
    const isSecure = settings.tls !== undefined
    const previews = new Previews(time, () => randomBytes(24).toString('base64url'))
    const onError = (route: string) => (error: unknown) =>
      options.onAnswer?.({ method: 'GET', route, status: 200, durationMs: 0, error })
    const { ledger } = facilities
    this.#feed = new EventFeed({ ledger, time, onError: onError('/v1/events/stream') })
    this.#history = new History({ ledger, time, onError: onError('/v1/failures') })
    const streams = () => this.#feed.waiting
    this.#metrics = new Metrics({ facilities, version, streams, onError: onError('/metrics') })
    this.#mcp = new McpEndpoint({ facilities, previews, version, onError: onError('/mcp') })
    const routes: readonly Route[] = [
      ...healthRoutes,
      ...metricRoutes(this.#metrics),
      ...overviewRoutes(this.#history, time),
      ...insightRoutes(this.#history, time),
      ...queueRoutes,
      ...exportRoutes,
      ...operationRoutes,
      ...submissionRoutes,
      ...changeRoutes(previews),
      ...eventRoutes(this.#feed, settings.maxStreams),
      ...scheduleRoutes,
      ...workflowRoutes,
      ...groupRoutes,
      ...providerRoutes,
      ...proxyRoutes,
      ...unknownRoutes,
      ...labelRoutes,
      ...ledgerRoutes,
      ...auditRoutes,
      ...noticeRoutes,
      ...inboxRoutes,
      ...configRoutes,
      ...this.#mcp.routes,
      ...signInRoutes({ signIn: this.#signIn, guard: this.#guard, cookie, isSecure }),
      // Made on first use, because it takes longer than the rest of the start.
      openApiRoute(() => {
        document ??= openApiOf(routes, version)
        return document
      }),
    ]
    let document: ReturnType<typeof openApiOf> | undefined
    this.routes = routes
  }

  /** Its address; undefined while it does not listen. */
  get url(): string | undefined {
    return this.#listener?.url
  }

  /** Starts listening. Until the daemon is ready, requests are answered with 503. */
  async start(): Promise<string> {
    const { settings, facilities, dashboard, onAnswer } = this.#options
    const app = appOf({
      routes: this.routes,
      facilities,
      guard: this.#guard,
      maxBodyBytes: settings.maxBodyBytes,
      stopping: this.#stopping.signal,
      ...(dashboard === undefined ? {} : { dashboard: new Dashboard(dashboard) }),
      onAnswer: answered => {
        this.#metrics.answered(answered)
        onAnswer?.(answered)
      },
      onChange: async (route, caller, given) => {
        try {
          await recordChange(facilities.ledger, changeOf(route, caller, given))
        } catch (error) {
          // What was asked for is done: that its record is missing is for the log, not for the caller.
          onAnswer?.({ method: route.method, route: route.path, status: 200, durationMs: 0, error })
        }
      },
    })
    const onRequest = getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      errorHandler: unreadable,
    })
    this.#listener = await listen(settings, onRequest)
    return this.#listener.url
  }

  /** Publishes its address in the data folder, for other commands. */
  announce(): void {
    if (this.#listener)
      writeAddress(this.#options.facilities.folder, { url: this.#listener.url, pid: process.pid })
  }

  /** Number of event streams that wait for an event. */
  get waitingStreams(): number {
    return this.#feed.waiting
  }

  /** A code that signs in one browser within a minute. */
  newCode(): string {
    return this.#signIn.newCode().code
  }

  /** Ends streams and waits, lets other requests finish, and closes every connection. May be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the daemon is stopping'))
    const listener = this.#listener
    this.#listener = undefined
    if (!listener) return
    removeAddress(this.#options.facilities.folder, process.pid)
    await Promise.all([
      listener.close(CLOSE_GRACE_MS),
      this.#feed.stop(),
      this.#history.stop(),
      this.#metrics.stop(),
      this.#mcp.close(),
    ])
  }
}
