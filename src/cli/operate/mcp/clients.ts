import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { redact } from '../../../failure/redact.ts'
import { ClientConfig, ClientConfigError } from '../../../gateway/mcp/client/client-config.ts'
import { CLIENTS, type McpClient } from '../../../gateway/mcp/client/clients.ts'
import type { JsonPath } from '../../../gateway/mcp/client/jsonc-edit.ts'
import { nearest } from '../../../option/nearest.ts'
import { UsageError } from '../../flag/arguments.ts'
import type { Terminal } from '../../terminal.ts'
import { ClientFile } from './client-file.ts'
import { lineDiff } from './line-diff.ts'

/** Flags of all commands that change a client's config. */
export const CLIENT_OPTIONS = {
  project: { type: 'boolean' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

/** Help for these flags. */
export const CLIENT_USAGE = `  CLIENT            one of ${Object.keys(CLIENTS).join(', ')}
  --project         change the file of this project, which others share, instead of the user's own
  --yes             write without asking; without it, what would change is shown, and on a terminal you are asked
  --dry-run         only show what would change`

/** The values of these flags. */
export interface ClientFlags {
  project?: boolean | undefined
  yes?: boolean | undefined
  'dry-run'?: boolean | undefined
}

/** A client and its config file. */
export interface OpenedClient {
  name: string
  client: McpClient
  file: ClientFile
}

/** The client with this name and its file. Throws a {@link UsageError}. */
export function openClient(
  name: string | undefined,
  { project = false }: ClientFlags,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
): OpenedClient {
  const names = Object.keys(CLIENTS)
  if (name === undefined) throw new UsageError(`name the CLIENT: ${names.join(', ')}`)
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined
  if (!client) {
    const guess = nearest(name, names)
    throw new UsageError(
      `unknown client ${JSON.stringify(name)}; ${guess ? `did you mean ${guess}?` : `one of: ${names.join(', ')}`}`,
    )
  }
  const file = project ? join(cwd, client.projectFile) : client.userFile({ env, platform: process.platform })
  const other = client.orEnding === undefined ? undefined : `${file}${client.orEnding}`
  const found = other !== undefined && !existsSync(file) && existsSync(other) ? other : file
  return { name, client, file: ClientFile.read(found, project ? cwd : undefined) }
}

/** A client's servers at a path of its file. Throws a {@link UsageError} if the file cannot be read. */
export function configOf({ client, file }: OpenedClient, path?: JsonPath): ClientConfig {
  return orUsage(() => new ClientConfig(client, file.file, file.text, path))
}

/** Turns a refusal to edit a config into a {@link UsageError}. */
export function orUsage<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && KNOWN.includes(error.name)) throw new UsageError(error.message)
    throw error
  }
}

const KNOWN = [ClientConfigError.name, 'JsoncEditError', 'TomlEditError']

/** Shows the change, asks, and writes it. Returns the exit code. */
export async function showAndWrite(
  { file, client }: OpenedClient,
  text: string,
  done: string,
  { yes = false, 'dry-run': dryRun = false }: ClientFlags,
  terminal: Terminal,
): Promise<number> {
  if (text === file.text) {
    terminal.stdout(`Nothing to do: ${file.file} is already as requested.\n`)
    return 0
  }
  terminal.stdout(`${file.file}${file.isThere ? '' : ' (new)'}\n${redact(lineDiff(file.text, text))}\n`)
  const isAgreed =
    !dryRun && (yes || (terminal.ask && /^y(es)?$/i.test((await terminal.ask('Write this? [y/N] ')).trim())))
  if (!isAgreed) {
    terminal.stdout('Nothing changed yet; to apply: --yes\n')
    return 0
  }
  file.write(text)
  terminal.stdout(`${done}. Restart ${client.title} to use it.\n`)
  return 0
}

/**
 * The command that clients use to start Mulligan: its name if it is on the PATH, else its full path. Folders that npm and npx
 * add to the PATH do not count, because clients do not have them.
 */
export function ownWords(
  { env }: Pick<Terminal, 'env'>,
  script = process.argv[1] ?? fileURLToPath(import.meta.url),
): readonly string[] {
  const folders = (env.PATH ?? '').split(delimiter).filter(folder => !/node_modules[/\\]\.bin$/.test(folder))
  if (folders.some(folder => folder !== '' && isProgram(join(folder, 'mulligan')))) return ['mulligan']
  // What npx installed for one run may be gone by the next.
  return /[/\\]_npx[/\\]/.test(script) ? ['npx', '-y', 'mulligan'] : [process.execPath, script]
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
