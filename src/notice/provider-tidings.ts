import type { Ledger } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { PROVIDER_TROUBLES } from './about-provider.ts'

/** What people know about a provider. */
interface Tidings {
  /** When the last trouble that people heard of began, epoch milliseconds; undefined if they heard that all is well. */
  troubledSince?: number
  /** Whether to tell that it works again. A limit lifts when its message said, so it needs no second one. */
  tellsBack: boolean
}

/** Most notices about a provider that are read: it rarely has more than one trouble at a time. */
const MOST_READ = 10

/** What people were told about providers, including what is about to be written. Lives as long as one batch of events. */
export class ProviderTidings {
  readonly #ledger: Pick<Ledger, 'notices' | 'events' | 'attempts'>
  readonly #known = new Map<string, Tidings>()

  constructor(ledger: Pick<Ledger, 'notices' | 'events' | 'attempts'>) {
    this.#ledger = ledger
  }

  /** People are told of a trouble. */
  troubled(provider: string, trouble: string, at: number): void {
    const before = this.#known.get(provider)
    this.#known.set(provider, { troubledSince: at, tellsBack: before?.tellsBack || trouble !== 'limit' })
  }

  /** People are told that all is well. */
  well(provider: string): void {
    this.#known.set(provider, { tellsBack: false })
  }

  async of(provider: string): Promise<Tidings> {
    const known = this.#known.get(provider) ?? (await this.#read(provider))
    this.#known.set(provider, known)
    return known
  }

  /** The troubled provider that served this operation, in a try that began after the trouble. */
  async servedBy({ id, providers }: Operation): Promise<string | undefined> {
    for (const provider of providers) {
      const { troubledSince } = await this.of(provider)
      if (troubledSince === undefined) continue
      const last = (await this.#ledger.attempts(id)).at(-1)
      if (last?.provider === provider && last.startedAt >= troubledSince) return provider
    }
    return undefined
  }

  async #read(provider: string): Promise<Tidings> {
    const type = [...PROVIDER_TROUBLES, 'back']
    const { items } = await this.#ledger.notices({ provider, type, expired: true }, { limit: MOST_READ })
    const isBack = items.findIndex(notice => notice.type === 'back')
    const troubles = isBack < 0 ? items : items.slice(0, isBack)
    const tellsBack = troubles.some(trouble => trouble.type !== 'limit')
    const last = troubles.find(({ resolvedAt }) => tellsBack || resolvedAt === undefined)
    return last ? { troubledSince: await this.#began(last), tellsBack } : { tellsBack: false }
  }

  /** A notice may be made long after its event. */
  async #began({ event = 0, createdAt }: Notice): Promise<number> {
    const [told] = await this.#ledger.events({ after: event - 1, limit: 1 })
    return told?.id === event ? told.at : createdAt
  }
}
