import { present } from '../failure/present.ts'
import type { Delivery } from '../ledger/delivery.ts'
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import { answerOf, type Writing } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'
import { PlannedElsewhere } from './planned-elsewhere.ts'
import { isJoinable } from './topic.ts'

/** After this long, people hear of a cause again if it still takes operations down, in milliseconds: 1 day. */
const OPEN_FOR_MS = 86_400_000
/** Open notices of a cause that are searched for one that was sent. */
const MOST_READ = 200

/** A message that was sent, or is about to be, whose cause is still there. */
export type OpenMessage = Delivery & { operation: string }

/** The messages of a surface that notices of the same cause join instead of becoming messages of their own. */
export class OpenMessages {
  readonly #surface: string
  readonly #deps: { ledger: Pick<Ledger, 'notices' | 'deliveries'>; time: Pick<Time, 'now'> }

  constructor(
    surface: string,
    deps: { ledger: Pick<Ledger, 'notices' | 'deliveries'>; time: Pick<Time, 'now'> },
  ) {
    this.#surface = surface
    this.#deps = deps
  }

  /** The open message that these notices belong to; undefined if people have not heard of their cause lately. */
  async of(topic: readonly Notice[]): Promise<OpenMessage | undefined> {
    const [first] = topic
    if (first?.cause === undefined || !isJoinable(topic)) return undefined
    const { ledger, time } = this.#deps
    const filter = { type: first.type, cause: first.cause, open: true }
    const { items } = await ledger.notices(filter, { limit: MOST_READ })
    const oldest = time.now() - OPEN_FOR_MS
    for (const { id: notice } of items.filter(({ createdAt }) => createdAt > oldest)) {
      const [sent] = (await ledger.deliveries({ notice, surface: this.#surface }, { limit: 1 })).items
      if (sent?.operation !== undefined && sent.state !== 'failed') return sent as OpenMessage
    }
    return undefined
  }

  /** Adds notices to an open message, which then says less than is true. */
  *join(writes: LedgerTransaction, topic: readonly Notice[], message: OpenMessage): Writing<void> {
    const { operation, state, reference } = message
    for (const { id: notice } of topic) {
      const delivery = { notice, surface: this.#surface, operation }
      const { id, created } = yield* answerOf(writes.addDelivery(delivery))
      if (!created) throw new PlannedElsewhere(notice, this.#surface)
      const end = { delivered: true as const, ...present({ reference }) }
      if (state === 'delivered') yield* answerOf(writes.settleDelivery(id, end))
      yield* answerOf(writes.outdateDeliveries([id], true))
    }
  }
}
