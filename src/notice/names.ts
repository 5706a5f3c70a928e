/** Operations that deliver notices run under capabilities with this beginning, one per surface. */
export const DELIVERY_PREFIX = 'notice:'
/** Each surface is a provider of its own, named with this beginning: one that is down holds up nothing else. */
export const SURFACE_PREFIX = 'surface:'

/** Name of the capability that delivers to a surface. */
export function deliveryCapabilityOf(surface: string): string {
  return `${DELIVERY_PREFIX}${surface}`
}

/** Name of the provider that a surface is. */
export function surfaceProviderOf(surface: string): string {
  return `${SURFACE_PREFIX}${surface}`
}

/** Whether an operation or a capability delivers notices. Nobody is told of how that goes. */
export function isDelivery(of: { capability: string } | { name: string }): boolean {
  return ('name' in of ? of.name : of.capability).startsWith(DELIVERY_PREFIX)
}

/** Whether a provider is a surface. */
export function isSurface(provider: string | undefined): boolean {
  return provider?.startsWith(SURFACE_PREFIX) ?? false
}
