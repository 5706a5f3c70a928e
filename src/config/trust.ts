import type { LoadedConfig, TrustedConfig } from './loaded.ts'
import { UntrustedConfig } from './untrusted.ts'

/**
 * The only way from reading a config to acting on it: returns this config if it is trusted. Trusted are named files
 * (`--config`, `MULLIGAN_CONFIG`), the user's own file, and those whose path and content `mulligan config trust` has
 * recorded. Throws {@link UntrustedConfig}.
 */
export function trusted(loaded: LoadedConfig): TrustedConfig {
  if (!loaded.isTrusted) throw new UntrustedConfig(loaded.file as string)
  return loaded as TrustedConfig
}
