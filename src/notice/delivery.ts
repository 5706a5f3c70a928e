import { z } from 'zod'
import type { Capability } from '../capability/capability.ts'
import { build } from '../capability/define.ts'
import { EnvReference } from '../config/reference.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Notice } from '../ledger/notice.ts'
import type { PolicyLike } from '../verdict/policy.ts'
import type { Message } from './message.ts'
import { messageOf } from './message-of.ts'
import { deliveryCapabilityOf, surfaceProviderOf } from './names.ts'
import { surfaceOf } from './surface/from-config.ts'
import type { Sent, Surface, SurfaceHost } from './surface/surface.ts'

const params = z.object({
  /** Id of the message, the same for every try. */
  message: z.string(),
  /** Ids of the notices in it. */
  notices: z.array(z.string()).min(1),
})
/** What a delivery is run with. */
export type DeliveryParams = z.output<typeof params>

/** What delivering needs. */
export interface DeliveryDeps {
  ledger: Pick<Ledger, 'notices'>
  host: SurfaceHost
}

/** Nobody knows what a surface answered: it is asked again, since nobody would label that for it. */
const askAgain: PolicyLike = {
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
 * Delivers messages to a surface, as an operation like any other: tried again when the surface is down, judged by the same
 * classifier, with the surface as its provider, so that one that is down holds up nothing else.
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
      description: `Tells the surface ${config.name} of notices.`,
      retry: isVerifiable ? 'verify_first' : 'replay',
      provider: surfaceProviderOf(config.name),
      // One after the other: in order, and with a group of notices in one message.
      concurrency: 1,
      timeoutMs: config.timeoutMs,
      policy: askAgain,
      // One message, or nothing: a refusal of it proves that it did not arrive.
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
            const message = await messageFor(ledger, given)
            return message === undefined ? 'done' : (surface().verify?.(message, { signal }) ?? 'unsure')
          }
        : undefined,
      run: async (given, { signal }) => {
        const message = await messageFor(ledger, given)
        // Its notices are over and forgotten: nobody misses them.
        if (message === undefined) return { told: 0 }
        return { told: message.count, ...(await surface().send(message, { signal })) }
      },
    },
  ) as Capability
}

async function messageFor(
  ledger: Pick<Ledger, 'notices'>,
  { message, notices }: DeliveryParams,
): Promise<Message | undefined> {
  const { items } = await ledger.notices({ ids: notices, expired: true }, { limit: notices.length })
  const [first, ...rest] = items.toReversed()
  return first && messageOf(message, [first, ...rest] as [Notice, ...Notice[]])
}

/** Variables that have to be set: without one, deliveries wait for it instead of failing. */
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
