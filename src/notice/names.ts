/** Prefix of the providers that stand for surfaces, one each: a surface that is down does not delay the others. */
export const SURFACE_PREFIX = 'surface:'

/** Name of the provider that stands for a surface. */
export function surfaceProviderOf(surface: string): string {
  return `${SURFACE_PREFIX}${surface}`
}

/** Whether a provider stands for a surface. */
export function isSurface(provider: string | undefined): boolean {
  return provider?.startsWith(SURFACE_PREFIX) ?? false
}
