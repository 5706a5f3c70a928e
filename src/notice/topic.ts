import type { Notice } from '../ledger/notice.ts'

/** Notices in one message when it is sent. */
const MOST_IN_MESSAGE = 200
/** Most messages about one event at a time; what is left shares one, so that many causes at once are no flood. */
const MOST_TOPICS = 5

/** Notices of one cause share a message; each unknown failure gets its own, because each needs its own label. */
export function topicsOf(notices: readonly Notice[]): readonly (readonly Notice[])[] {
  const byEvent = Map.groupBy(notices, ({ type }) => type)
  return [...byEvent].flatMap(([type, all]) => {
    const topics = [...Map.groupBy(all, topicOf).values()]
    const most = type === 'unknown' ? Infinity : MOST_TOPICS
    const rest = topics.slice(most).flat()
    return [...topics.slice(0, most), ...(rest.length > 0 ? [rest] : [])].flatMap(inParts)
  })
}

function topicOf({ type, fingerprint, cause, id }: Notice): string {
  if (type === 'unknown') return fingerprint ?? id
  // The cause of a workflow's notice is its run; runs that end together are told together.
  return type === 'workflow' ? '' : (cause ?? '')
}

/** Whether later notices join an open message about the same: then it is about operations, and names their cause. */
export function isJoinable(topic: readonly Notice[]): boolean {
  const [first] = topic
  return (
    first?.cause !== undefined &&
    (first.type === 'dead' || first.type === 'parked') &&
    topic.every(({ cause }) => cause === first.cause)
  )
}

function inParts(topic: readonly Notice[]): readonly (readonly Notice[])[] {
  return Array.from({ length: Math.ceil(topic.length / MOST_IN_MESSAGE) }, (_, part) =>
    topic.slice(part * MOST_IN_MESSAGE, (part + 1) * MOST_IN_MESSAGE),
  )
}
