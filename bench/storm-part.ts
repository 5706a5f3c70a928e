// One process of one client in one scene: asks at the given times and prints how each call ended, as JSON. Time runs faster here,
// for us and for every peer alike, because all read it from these globals.
interface Part {
  client: string
  urls: string[]
  /** When each call begins, in scaled milliseconds, and how many tokens it takes. */
  arrivals: { at: number; tokens: number }[]
  budgetMs: number
  scale: number
  ledger?: string
}

const part = JSON.parse(process.argv[2] as string) as Part
const { scale } = part
const real = { now: Date.now(), setTimeout, dateNow: Date.now, perf: performance.now.bind(performance) }
const perfStart = real.perf()
Date.now = () => real.now + (real.perf() - perfStart) * scale
performance.now = () => perfStart + (real.perf() - perfStart) * scale
globalThis.setTimeout = ((callback: () => void, ms = 0, ...rest: unknown[]) =>
  real.setTimeout(callback, ms / scale, ...(rest as []))) as typeof setTimeout

const sleep = (ms: number) => new Promise<void>(resolve => void setTimeout(resolve, ms))

class Refused extends Error {
  readonly status: number
  readonly statusCode: number
  constructor(status: number) {
    super(status === 429 ? 'Too Many Requests' : 'Overloaded')
    this.status = status
    this.statusCode = status
  }
}

type Ask = (url: string, tokens: number, signal: AbortSignal) => Promise<unknown>
const ask: Ask = async (url, tokens, signal) => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ tokens }),
    signal,
  })
  const body = await answer.json()
  if (!answer.ok) throw new Refused(answer.status)
  return body
}

/** Serves one call. Rejects if it could not. */
type Client = (tokens: number, signal: AbortSignal) => Promise<unknown>

async function mulligan(maxRetries: number, failover: 'first' | 'last', learnRate = true): Promise<Client> {
  const { call } = await import('../src/call/call.ts')
  const { NodeHealth } = await import('../src/process/node-health.ts')
  const pool = part.urls.map((_, index) => `p${index}`)
  let store: object = {}
  if (part.ledger !== undefined) {
    const { openLedger } = await import('../src/ledger/sqlite/sqlite-ledger.ts')
    store = { store: (await openLedger({ file: part.ledger })).providers }
  }
  const providers = pool.map(id => ({ id, learnRate }))
  const gate = new NodeHealth({ ...store, providers })
  return (tokens, signal) =>
    call(
      context => ask(part.urls[pool.indexOf(context.provider as string)] as string, tokens, context.signal),
      { pool, health: gate, maxRetries, failover, budgetMs: part.budgetMs, signal },
    )
}

async function openai(maxRetries: number): Promise<Client> {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ apiKey: 'x', baseURL: `${part.urls[0]}/v1`, maxRetries })
  return (tokens, signal) =>
    client.chat.completions.create({ model: 'm', messages: [], tokens } as never, { signal })
}

async function pRetryAndCockatiel(): Promise<Client> {
  const { default: pRetry } = await import('p-retry')
  const { ConsecutiveBreaker, circuitBreaker, handleAll } = await import('cockatiel')
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) })
  return (tokens, signal) =>
    pRetry(() => breaker.execute(() => ask(part.urls[0] as string, tokens, signal)), {
      retries: 5,
      randomize: true,
      maxTimeout: 10_000,
      signal,
    })
}

async function aiFallback(): Promise<Client> {
  const { createFallback } = await import('ai-fallback')
  const models = part.urls.map((url, index) => ({
    specificationVersion: 'v3',
    provider: `p${index}`,
    modelId: 'm',
    supportedUrls: {},
    doGenerate: ({ tokens, abortSignal }: { tokens: number; abortSignal: AbortSignal }) =>
      ask(url, tokens, abortSignal),
  }))
  const model = createFallback({ models: models as never })
  return (tokens, signal) => model.doGenerate({ tokens, abortSignal: signal } as never) as Promise<unknown>
}

async function smithyAdaptive(): Promise<Client> {
  const { AdaptiveRetryStrategy } = await import('@smithy/util-retry')
  const strategy = new AdaptiveRetryStrategy(async () => 6)
  return async (tokens, signal) => {
    let token: Awaited<ReturnType<typeof strategy.acquireInitialRetryToken>> =
      await strategy.acquireInitialRetryToken('scope')
    for (;;) {
      try {
        const answer = await ask(part.urls[0] as string, tokens, signal)
        strategy.recordSuccess(token as never)
        return answer
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        const errorType = error.status === 429 ? 'THROTTLING' : 'TRANSIENT'
        token = await strategy.refreshRetryTokenForRetry(token as never, { errorType })
        await sleep(token.getRetryDelay())
        signal.throwIfAborted()
      }
    }
  }
}

const CLIENTS: Record<string, () => Promise<Client>> = {
  'Mulligan, 2 retries': () => mulligan(2, 'last'),
  'Mulligan, 5 retries': () => mulligan(5, 'last'),
  'Mulligan, no learned rate': () => mulligan(5, 'last', false),
  'Mulligan, failover first': () => mulligan(5, 'first'),
  'OpenAI SDK, 2 retries': () => openai(2),
  'OpenAI SDK, 5 retries': () => openai(5),
  'p-retry + cockatiel': pRetryAndCockatiel,
  'ai-fallback': aiFallback,
  'smithy adaptive': smithyAdaptive,
}

const serve = await (CLIENTS[part.client] as () => Promise<Client>)()
await Promise.all(
  part.urls.map(url => fetch(`${url}/warm`, { method: 'POST' }).then(answer => answer.text())),
)
const begun = performance.now()
const waits: number[] = []
await Promise.all(
  part.arrivals.map(async ({ at, tokens }) => {
    await sleep(at - (performance.now() - begun))
    const from = performance.now()
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new Error('out of budget')), part.budgetMs)
    const late = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason))
    })
    late.catch(() => {})
    try {
      await Promise.race([serve(tokens, stop.signal), late])
      waits.push(performance.now() - from)
    } catch {
      // Not served.
    }
    clearTimeout(timer)
  }),
)
process.stdout.write(JSON.stringify(waits))
process.exit(0)
