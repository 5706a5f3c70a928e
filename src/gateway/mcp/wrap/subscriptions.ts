import { META, metaOf } from '../era.ts'
import { isObject, lineOf, type RequestId } from '../json-rpc.ts'
import type { Notification } from './server-side.ts'
import type { Request } from './translate.ts'

/** What a subscription of the stateless era may be about, and the notification that tells of it. */
const CHANGES: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
}

/** Everything that a session client is told without asking. */
export const ALL_CHANGES: Readonly<Record<string, boolean>> = Object.fromEntries(
  Object.values(CHANGES).map(name => [name, true]),
)

/**
 * Subscriptions of a stateless client to a server that knows none: what the server tells unasked goes to those
 * who asked for it.
 */
export class Subscriptions {
  readonly #toClient: (line: Buffer) => void
  readonly #wanted = new Map<RequestId, Readonly<Record<string, unknown>>>()

  constructor(toClient: (line: Buffer) => void) {
    this.#toClient = toClient
  }

  /** Begins one; it lasts until the signal is aborted. Gives the resources that it is about. */
  begin({ id, params }: Request, signal: AbortSignal): readonly string[] {
    const notifications = isObject(params?.notifications) ? params.notifications : {}
    this.#wanted.set(id, notifications)
    signal.addEventListener('abort', () => this.#wanted.delete(id), { once: true })
    this.#toClient(
      lineOf({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications, _meta: { [META.subscription]: id } },
      }),
    )
    return resourcesIn(notifications)
  }

  /** All resources that subscriptions are about. */
  get resources(): ReadonlySet<string> {
    return new Set([...this.#wanted.values()].flatMap(resourcesIn))
  }

  /** Passes a notification on to those who asked for it; false if it is of another kind. */
  tell({ method, params }: Notification): boolean {
    const change = Object.hasOwn(CHANGES, method) ? CHANGES[method] : undefined
    if (change === undefined && method !== 'notifications/resources/updated') return false
    for (const [id, wanted] of this.#wanted) {
      const isWanted =
        change === undefined ? resourcesIn(wanted).includes(String(params?.uri)) : wanted[change] === true
      const stamped = { ...params, _meta: { ...metaOf(params), [META.subscription]: id } }
      if (isWanted) this.#toClient(lineOf({ method, params: stamped }))
    }
    return true
  }
}

function resourcesIn({ resourceSubscriptions }: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map(String) : []
}
