import { createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWhole } from '../../../config/create-whole.ts'
import { makeFolder } from '../../../config/make-folder.ts'
import { shellWord } from '../../../option/shell-word.ts'
import { isCredential } from './credential-variable.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

/** Folder of what is kept about MCP servers, in the data folder. */
export const MCP_FOLDER = 'mcp'

/**
 * Names a server together with the credentials that it is used with, under a key that only this data folder has: nobody
 * can tell the credentials from it, and no session runs the calls of another login. What the config says of the server
 * counts (command, arguments, folder, its variables and headers), and of the rest of the environment only credentials:
 * clients give each session variables of its own, and all sessions of a login share its queue.
 */
export function identityOf(
  { target, ownEnv, identity }: Pick<UpstreamSettings, 'target' | 'ownEnv' | 'identity'>,
  key: Buffer,
): string {
  if (identity !== undefined) return hashed({ identity }, key)
  if (target.by === 'http') return hashed({ url: target.url, headers: sorted(target.headers) }, key)
  const { argv, cwd, env } = target
  const credentials = Object.fromEntries(Object.entries(env).filter(([name]) => isCredential(name)))
  return hashed({ argv, cwd, env: sorted({ ...credentials, ...ownEnv }) }, key)
}

/** Names the program or address alone, for what does not depend on a login. */
export function commandHash({ target }: Pick<UpstreamSettings, 'target'>, key: Buffer): string {
  return hashed(target.by === 'http' ? { url: target.url } : { argv: target.argv }, key)
}

function hashed(what: object, key: Buffer): string {
  return createHmac('sha256', key).update(JSON.stringify(what)).digest('hex').slice(0, 16)
}

function sorted(values: Readonly<Record<string, string | undefined>>): [string, string][] {
  return Object.entries(values)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The key of a data folder, created on first use. Two processes that create it at once end up with the same. */
export function identityKey(dataFolder: string): Buffer {
  const folder = join(dataFolder, MCP_FOLDER)
  const file = join(folder, 'identity.key')
  const read = () => {
    const text = readFileSync(file, 'utf8').trim()
    if (!/^[0-9a-f]{64}$/.test(text))
      throw new Error(`${file} contains no valid key; remove it to get a new one: rm ${shellWord(file)}`)
    return Buffer.from(text, 'hex')
  }
  if (!existsSync(file)) {
    makeFolder(folder)
    createWhole(file, `${randomBytes(32).toString('hex')}\n`)
  }
  return read()
}
