import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { build } from '../capability/define.ts'
import { EnvReference } from '../config/reference.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { deliveryCapabilityOf } from '../ledger/delivery-name.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import { surfaceProviderOf } from '../provider/provider-name.ts'
import type { PolicyLike } from '../verdict/policy.ts'
import type { Message } from './message.ts'
import { messageOf } from './message-of.ts'
import { surfaceOf } from './surface/from-config.ts'
import type { Sent, Surface, SurfaceHost } from './surface/surface.ts'

/** Most notices in one message. */
export const MOST_IN_MESSAGE = 1_000

const params = z.object({
  /** Id of the message, the same in every try. */
  message: z.string(),
  /** Ids of the notices it began with; others of the same cause may have joined them. */
  notices: z.array(z.string()).min(1),
  /** Where the message is, if it was sent before and is to say what is true now. */
  edit: z.string().optional(),
})
/** Parameters of a delivery. */
export type DeliveryParams = z.output<typeof params>

/** Collaborators of a delivery. */
export interface DeliveryDeps {
  ledger: Pick<Ledger, 'notices' | 'deliveries'>
  host: SurfaceHost
}

/** Retries an unknown answer of a surface: parking it for a label would need a notice about a notice. */
const retryUnknown: PolicyLike = {
  name: 'notice',
  verdict: ({ class: cls, message }, { random }) =>
    cls === 'unknown'
      ? {
          action: 'retry',
          delayMs: 30_000 + Math.round(random * 30_000),
          mode: 'again',
          reason: `the surface gave an unknown answer: ${message}`,
          rule: 'notice:unknown',
        }
      : undefined,
}

/**
 * Delivers messages to a surface as an ordinary operation: same classifier, same retries. The surface is its provider,
 * so one that is down does not delay the others.
 */
export function deliveryCapability(config: SurfaceConfig, { ledger, host }: DeliveryDeps): Capability {
  let ready: Surface | undefined
  const surface = () => {
    ready ??= surfaceOf(config, host)
    return ready
  }
  const isVerifiable = ['github', 'gitea', 'obsidian'].includes(config.kind)
  return build<DeliveryParams, Sent & { told: number }, DeliveryParams>(
    'function',
    {
      name: deliveryCapabilityOf(config.name),
      description: `Sends notices to the surface ${config.name}.`,
      retry: isVerifiable ? 'verify_first' : 'replay',
      provider: surfaceProviderOf(config.name),
      // One at a time, to keep messages in order.
      concurrency: 1,
      timeoutMs: config.timeoutMs,
      policy: retryUnknown,
      // A message arrives whole or not at all: a refusal proves that it did not arrive.
      atomic: true,
      backoff: 'exponential',
    },
    {
      params,
      resumable: false,
      variables: variablesOf(config),
      problems: () => [],
      verification: isVerifiable
        ? async (given, { signal }) => {
            // An edit may be repeated.
            if (given.edit !== undefined) return 'absent'
            const message = await messageFor(ledger, config.name, given)
            return message === undefined ? 'done' : (surface().verify?.(message, { signal }) ?? 'unsure')
          }
        : undefined,
      run: async (given, { signal }) => {
        const message = await messageFor(ledger, config.name, given)
        // Its notices have been deleted, or were resolved before it could be sent.
        if (message === undefined) return { told: 0 }
        if (given.edit !== undefined) {
          await surface().edit?.(message, given.edit, { signal })
          return { told: message.count }
        }
        return { told: message.count, ...(await surface().send(message, { signal })) }
      },
    },
  ) as Capability
}

/** The message as it is true now. Before it was sent, only what is still open is told. */
async function messageFor(
  ledger: DeliveryDeps['ledger'],
  surface: string,
  { message, notices, edit }: DeliveryParams,
): Promise<Message | undefined> {
  const ids = await withJoined(ledger, surface, notices)
  const { items } = await ledger.notices({ ids, expired: true }, { limit: ids.length })
  const told = edit === undefined ? items.filter(({ resolvedAt }) => resolvedAt === undefined) : items
  const [first, ...rest] = told.toReversed()
  return first && messageOf(message, [first, ...rest] as [Notice, ...Notice[]])
}

/** These notices, and those that joined their message later. */
async function withJoined(
  ledger: Pick<Ledger, 'deliveries'>,
  surface: string,
  notices: readonly string[],
): Promise<readonly string[]> {
  const own = (await ledger.deliveries({ notice: notices[0] as string, surface }, { limit: 1 })).items[0]
  if (own?.operation === undefined) return notices
  const { items } = await ledger.deliveries({ operation: own.operation }, { limit: MOST_IN_MESSAGE })
  return [...new Set([...notices, ...items.map(({ notice }) => notice)])]
}

/** Environment variables that must be set: deliveries wait for a missing one instead of failing. */
function variablesOf(config: SurfaceConfig): string[] {
  return [
    config.token,
    config.webhook,
    config.secret,
    config.url,
    config.chat,
    config.baseUrl,
    ...(config.argv ?? []),
  ].flatMap(value => (value instanceof EnvReference ? [value.variable] : []))
}
