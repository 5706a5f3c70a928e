import type { ResolveOptions } from './reference.ts'
import type { ProviderConfig } from './schema/provider.ts'

/** A line for each provider that questions to models would go to, whose key cannot be found. */
export function missingKeys(providers: readonly ProviderConfig[], options: ResolveOptions): string[] {
  return providers.flatMap(({ id, api, credential }) =>
    api === undefined || credential === undefined || credential.isSet(options)
      ? []
      : [`${id}: no key: ${credential} ${'variable' in credential ? 'is not set here' : 'cannot be read'}`],
  )
}
