import { dataFolder, isStrangersFolder } from '../../config/data-folder.ts'
import type { LoadedConfig, TrustedConfig } from '../../config/loaded.ts'
import { trusted } from '../../config/trust.ts'
import { TrustRecord } from '../../config/trust-record.ts'
import type { Terminal } from '../terminal.ts'
import { actionsOf } from './config-actions.ts'

/**
 * The config, if the user trusts it. On a terminal, asks about an untrusted one and records a yes; otherwise throws an
 * UntrustedConfig with the command to run.
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
  // Trust exactly what was read: a later change needs trust again.
  new TrustRecord(env).add(file, hash, now())
  return loaded.trust()
}

/** The data folder of a command that believes what is published there. As {@link ensureTrusted} if an untrusted file chose it. */
export async function ensureOwnFolder(loaded: LoadedConfig, terminal: Terminal): Promise<string> {
  return dataFolder(isStrangersFolder(loaded) ? await ensureTrusted(loaded, terminal) : loaded, terminal)
}
