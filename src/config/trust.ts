import type { LoadedConfig, TrustedConfig } from './loaded.ts'
import { UntrustedConfig } from './untrusted.ts'

/**
 * The one door between looking at a config and acting by it: this config, if it is trusted. Trusted are files that
 * were named (`--config`, `MULLIGAN_CONFIG`), the user's own file, and those whose path and content
 * `mulligan config trust` has recorded. Throws {@link UntrustedConfig}.
 */
export function trusted(loaded: LoadedConfig): TrustedConfig {
  if (!loaded.isTrusted) throw new UntrustedConfig(loaded.file as string)
  return loaded as TrustedConfig
}
