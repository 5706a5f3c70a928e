import type { LoadedConfig, TrustedConfig } from './loaded.ts'
import { UntrustedConfig } from './untrusted.ts'

/**
 * The only way from reading a config to acting on it: returns the config if it is trusted. Trusted are files named by `--config`
 * or `MULLIGAN_CONFIG`, the user's own file, and files whose path and content `mulligan config trust` recorded. Throws
 * {@link UntrustedConfig}.
 */
export function trusted(loaded: LoadedConfig): TrustedConfig {
  if (!loaded.isTrusted) throw new UntrustedConfig(loaded.file as string)
  return loaded as TrustedConfig
}
