import { deliveryCapabilityOf } from '../ledger/delivery-name.ts'
import type { NewOperation } from '../ledger/operation.ts'
import { surfaceProviderOf } from '../provider/provider-name.ts'
import type { DeliveryParams } from './delivery.ts'

/** What all deliveries have in common. Retries are high enough that the time limit ends a message first. */
export const DELIVERY_SETTINGS = { source: 'notice', maxRetries: 1_000 } as const

/** An operation that sends or edits a message. */
export function deliveryOf(
  surface: string,
  params: DeliveryParams,
): Pick<NewOperation, 'capability' | 'params' | 'providers'> {
  return {
    capability: deliveryCapabilityOf(surface),
    params,
    providers: [surfaceProviderOf(surface)],
  }
}
