import { createHmac } from 'node:crypto'
import { MODEL_APIS, type ModelApi } from '../../config/model-apis.ts'
import type { Endpoint } from '../../sdk/fetch/endpoint.ts'
import { type Caller, keyHeaders } from './caller.ts'

/** How many accounts have a health of their own. */
const MOST_ACCOUNTS = 256

/** A place that questions can be sent to. */
export interface Upstream {
  /** The provider. */
  id: string
  api: ModelApi
  baseURL: string
  /** The key that the config names, looked up when needed. Without one, the caller's own is sent on. */
  key?: (() => string) | undefined
  /** What the models that clients ask for are called there. */
  modelNames: Readonly<Record<string, string>>
  /** The only models it has; empty means any. */
  models: readonly string[]
  /** The agent CLI whose login it is. */
  cli?: string | undefined
}

/** Why no upstream can take a question. The message is for the client's user. */
export class NoUpstream extends Error {
  override name = 'NoUpstream'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The upstreams, and which of them may answer whom. */
export class Upstreams {
  readonly #all: readonly Upstream[]
  readonly #hashKey: string
  /** Names of accounts by provider and key: hashing takes as long as all else that is decided about a question. */
  readonly #accounts = new Map<string, string>()

  /** @param hashKey keys the hash by which accounts of callers are told apart */
  constructor(all: readonly Upstream[], hashKey: string) {
    this.#all = all
    this.#hashKey = hashKey
  }

  /** Whether callers may be given keys that are not theirs. */
  get addsKeys(): boolean {
    return this.#all.some(({ key }) => key !== undefined)
  }

  /**
   * Where a caller's request may go, the preferred one first. A caller's own key goes to the first upstream without a
   * configured one, and to no other. Throws a {@link NoUpstream}.
   */
  for(api: ModelApi, caller: Caller, model: string | undefined): Endpoint[] {
    const ofApi = this.#all.filter(upstream => upstream.api === api)
    const known = ofApi.length === 0 ? [vendorOf(api)] : ofApi
    const usable = known.filter(({ key }) => key === undefined || caller.hasToken)
    if (usable.length === 0)
      throw new NoUpstream(
        401,
        'Mulligan adds keys of its own here, so it needs its token as the API key: "mulligan proxy env CLIENT" prints it',
      )
    const having = usable.filter(upstream => model === undefined || hasModel(upstream, model))
    if (having.length === 0)
      throw new NoUpstream(
        404,
        `no provider of mulligan.toml has the model ${model}; see models and model_names`,
      )
    const first = known.find(({ key }) => key === undefined)
    return having.map(upstream => this.#endpoint(upstream, caller, model, upstream === first))
  }

  #endpoint(upstream: Upstream, caller: Caller, model: string | undefined, isForOwn: boolean): Endpoint {
    const { id, api, baseURL, key, modelNames, cli } = upstream
    const own = isForOwn ? caller.own : {}
    const renamed = model === undefined ? undefined : renamedBy(modelNames, model)
    const isLoginOfCli = cli !== undefined && cli === caller.client && caller.credential !== undefined
    const name = key !== undefined || isLoginOfCli ? id : this.#accountName(id, isForOwn ? caller : undefined)
    return {
      id: name,
      baseURL,
      headers: key === undefined ? own : keyHeaders(api, foundKey(id, key)),
      ...(renamed === undefined ? {} : { model: renamed }),
    }
  }

  /** Limits of one account must not hold up another, nor who forgot its key everybody; and no key must be stored. */
  #accountName(id: string, caller: Caller | undefined): string {
    if (!caller) return id
    const account = `${id} ${caller.credential ?? ''}`
    const known = this.#accounts.get(account)
    if (known !== undefined) return known
    const hash = createHmac('sha256', this.#hashKey)
      .update(caller.credential ?? '')
      .digest('hex')
    // Who comes after them shares one of a few names, so that no caller fills the memory and the ledger with keys.
    if (this.#accounts.size >= MOST_ACCOUNTS) return `${id}~${hash.slice(0, 1)}`
    const name = `${id}~${hash.slice(0, 8)}`
    this.#accounts.set(account, name)
    return name
  }
}

/** Whoever asks can read why there is no key, and asking again does not help. */
function foundKey(id: string, key: () => string): string {
  try {
    return key()
  } catch (error) {
    throw new NoUpstream(401, `Mulligan has no key for the provider ${id}: ${(error as Error).message}`)
  }
}

function vendorOf(api: ModelApi): Upstream {
  return { id: api, api, baseURL: MODEL_APIS[api], modelNames: {}, models: [] }
}

function renamedBy(names: Upstream['modelNames'], model: string): string | undefined {
  return Object.hasOwn(names, model) ? names[model] : undefined
}

function hasModel({ models, modelNames }: Upstream, model: string): boolean {
  return models.length === 0 || models.includes(model) || Object.hasOwn(modelNames, model)
}
