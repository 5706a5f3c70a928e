import type { LoadedConfig, TrustedConfig } from '../config/loaded.ts'
import { trusted } from '../config/trust.ts'
import { TrustRecord } from '../config/trust-record.ts'
import { actionsOf } from './config-actions.ts'
import type { Terminal } from './main.ts'

/**
 * The config, if its user trusts it. One that is not trusted yet is asked about where a person can answer, and the
 * answer yes is recorded; elsewhere this throws an UntrustedConfig, which says what to run.
 */
export async function ensureTrusted(
  loaded: LoadedConfig,
  { ask, env, now }: Pick<Terminal, 'ask' | 'env' | 'now'>,
): Promise<TrustedConfig> {
  if (loaded.isTrusted || !ask) return trusted(loaded)
  const { file, hash } = loaded as { file: string; hash: string }
  const answer = await ask(
    `${file} is not trusted (new or changed). It would ${actionsOf(loaded)}. Trust it? [y/N] `,
  )
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) return trusted(loaded)
  // What was read is what is trusted: a change since then asks again.
  new TrustRecord(env).add(file, hash, now())
  return loaded.trust()
}
