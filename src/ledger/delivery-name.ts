/** Prefix of the capabilities that deliver notices, one per surface. */
export const DELIVERY_PREFIX = 'notice:'

/** Name of the capability that delivers to a surface. */
export function deliveryCapabilityOf(surface: string): string {
  return `${DELIVERY_PREFIX}${surface}`
}

/** Whether an operation or a capability delivers notices: then it is none of the user's. */
export function isDelivery(of: { capability: string } | { name: string }): boolean {
  return ('name' in of ? of.name : of.capability).startsWith(DELIVERY_PREFIX)
}
