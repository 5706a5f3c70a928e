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
  /** Id of the message, the same in every try. */
  message: z.string(),
  /** Ids of the notices in it. */
  notices: z.array(z.string()).min(1),
})
/** Parameters of a delivery. */
export type DeliveryParams = z.output<typeof params>

/** Collaborators of a delivery. */
export interface DeliveryDeps {
  ledger: Pick<Ledger, 'notices'>
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
            const message = await messageFor(ledger, given)
            return message === undefined ? 'done' : (surface().verify?.(message, { signal }) ?? 'unsure')
          }
        : undefined,
      run: async (given, { signal }) => {
        const message = await messageFor(ledger, given)
        // Its notices have expired and been deleted.
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
