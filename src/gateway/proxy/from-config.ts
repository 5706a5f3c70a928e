import { randomInt } from 'node:crypto'
import type { Prices } from '../../call/price.ts'
import type { TrustedConfig } from '../../config/loaded.ts'
import { MODEL_APIS } from '../../config/model-apis.ts'
import { resolveText } from '../../config/reference.ts'
import type { ProviderConfig } from '../../config/schema/provider.ts'
import type { ProxyConfig } from '../../config/schema/proxy.ts'
import { BillKeeper } from '../../ledger/bill-keeper.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Health } from '../../provider/health.ts'
import type { ModelCallOptions } from '../../sdk/model-options.ts'
import { realTime, type Time } from '../../time/time.ts'
import type { Policy } from '../../verdict/policy.ts'
import { removeAddress, writeAddress } from '../http/address-file.ts'
import { PortTaken } from '../http/listener.ts'
import { isSame } from '../http/sign-in.ts'
import { tokenIn } from '../http/token-files.ts'
import { Allowance } from './allowance.ts'
import { PROXY_ADDRESS_FILE, PROXY_TOKEN_FILE } from './files.ts'
import { Holds } from './holds.ts'
import { ModelProxy } from './model-proxy.ts'
import { patientSend } from './patient-send.ts'
import type { QuestionDeps } from './question.ts'
import { type Upstream, Upstreams } from './upstream.ts'

/** What a reload of the config replaces. */
export interface InForce {
  loaded: TrustedConfig
  health: Health
  policy: Policy
  classify: NonNullable<ModelCallOptions['classify']>
  /** What tokens cost. */
  prices: Prices
}

/** What a proxy needs besides its config. */
export interface ProxyHost {
  /** The data folder. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
  pid: number
  inForce: () => InForce
  /** Keeps the bill. Undefined: none is kept. */
  ledger: Pick<Ledger, 'bill' | 'addToBill'> | undefined
  /** Default: the system clock. */
  time?: Time | undefined
  onFailed?: QuestionDeps['onFailed']
  onError: (error: unknown) => void
}

/** A proxy that listens. */
export interface OpenProxy {
  url: string
  /** Whether callers need the token to use keys of the config. */
  addsKeys: boolean
  stop: () => Promise<void>
}

/** Starts the proxy, and publishes where it listens. */
export async function openProxy(
  { port, maxHoldMs, maxBodyBytes, maxConnections }: ProxyConfig,
  host: ProxyHost,
): Promise<OpenProxy> {
  const { folder, pid, inForce, ledger, time = realTime, onFailed, onError } = host
  const keeper = ledger && new BillKeeper({ ledger, time, onError })
  const token = tokenIn(folder, PROXY_TOKEN_FILE)
  const upstreams = upstreamsOf(host, token)
  const proxy = new ModelProxy({
    port,
    maxBodyBytes,
    maxConnections,
    maxHoldMs,
    get upstreams() {
      return upstreams()
    },
    get options() {
      const { health, policy, classify, prices } = inForce()
      return { health, policy, classify, prices, time }
    },
    allowance: ledger && new Allowance(() => inForce().loaded.config.proxy, ledger, time),
    billOf: keeper && ((client, session) => keeper.of(client, session)),
    holds: new Holds(),
    send: await patientSend(),
    time,
    newId: holdIds(),
    isToken: text => text.length === token.length && isSame(text, token),
    release: provider => inForce().health.reset(provider),
    onFailed,
    onError,
  })
  try {
    await proxy.start()
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error
    throw new Error(
      `cannot listen on port ${port}: another program does; choose another with [proxy] port or --port`,
      { cause: error },
    )
  }
  const url = proxy.url as string
  writeAddress(folder, { url, pid }, PROXY_ADDRESS_FILE)
  return {
    url,
    addsKeys: upstreams().addsKeys,
    stop: async () => {
      removeAddress(folder, pid, PROXY_ADDRESS_FILE)
      await proxy.stop()
      await keeper?.close()
    },
  }
}

/** Counts on from a number that no earlier proxy has reached, most likely. */
function holdIds(): () => string {
  let last = randomInt(2 ** 32)
  return () => (++last).toString(16).padStart(8, '0')
}

/** The upstreams of the config in force, made once for each. */
function upstreamsOf({ inForce, env }: ProxyHost, hashKey: string): () => Upstreams {
  const made = new WeakMap<TrustedConfig, Upstreams>()
  return () => {
    const { loaded } = inForce()
    let upstreams = made.get(loaded)
    if (!upstreams) {
      const all = loaded.config.providers.flatMap(provider => upstreamOf(provider, env))
      upstreams = new Upstreams(all, hashKey)
      made.set(loaded, upstreams)
    }
    return upstreams
  }
}

function upstreamOf(provider: ProviderConfig, env: ProxyHost['env']): Upstream[] {
  const { id, api, baseUrl, credential, modelNames, models, cli } = provider
  if (api === undefined) return []
  return [
    {
      id,
      api,
      baseURL: baseUrl === undefined ? MODEL_APIS[api] : resolveText(baseUrl, { env }),
      modelNames,
      models: models.map(model => model.id),
      cli,
      key: credential && (() => credential.resolve({ env })),
    },
  ]
}
