import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { findBinary } from '../../../agent/binary.ts'
import { ClientConfig } from '../../../gateway/mcp/client/client-config.ts'
import { CLIENTS } from '../../../gateway/mcp/client/clients.ts'
import { isOwn } from '../../../gateway/mcp/client/server-entry.ts'
import type { Terminal } from '../../terminal.ts'
import { ClientFile } from '../mcp/client-file.ts'
import { IN_CONFIG } from './base-url.ts'
import type { Found } from './found.ts'
import { piecesOf } from './pieces.ts'
import { type Installation, installations } from './record.ts'
import { removals } from './removal.ts'

/** Everything of Mulligan that clients have, as far as it is known. */
export function foundIn(records: string, terminal: Pick<Terminal, 'env' | 'cwd'>): readonly Found[] {
  const installed = installations(records)
  return [
    ...installed.map(installation => checked(installation, terminal)),
    ...addedServers(terminal).filter(({ client }) => !installed.some(each => each.client === client)),
  ]
}

function checked(installation: Installation, terminal: Pick<Terminal, 'env' | 'cwd'>): Found {
  const { client, project, words } = installation
  return {
    client,
    where: project ?? 'the user',
    problems: [...changed(installation, terminal), ...deadWords(words, terminal)],
  }
}

function changed(installation: Installation, { env }: Pick<Terminal, 'env'>): string[] {
  try {
    return removals(installation, piecesOf(installation, env)).flatMap(removal => {
      if (removal.how === 'gone') return [`${removal.file} is gone`]
      if (removal.how === 'untouched') return [`it is gone from ${removal.file}`]
      return removal.how === 'stuck' ? [`${removal.file} was changed`] : []
    })
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Programs and scripts that are not there any more. */
function deadWords(words: readonly string[], { env, cwd }: Pick<Terminal, 'env' | 'cwd'>): string[] {
  const [program = ''] = words
  const missing = words.slice(0, 2).filter(word => isAbsolute(word) && !existsSync(word))
  if (!isAbsolute(program) && findBinary(program, { path: env.PATH, cwd }) === undefined)
    missing.push(program)
  return missing.map(word => `it starts ${word}, which is gone`)
}

/** Servers in the users' files that start Mulligan. */
function addedServers(terminal: Pick<Terminal, 'env' | 'cwd'>): Found[] {
  return Object.entries(CLIENTS).flatMap(([name, client]) => {
    try {
      const path = client.userFile({ env: terminal.env, platform: process.platform })
      const { entries } = new ClientConfig(client, path, ClientFile.read(path).text)
      return entries
        .filter(({ words }) => isOwn(words))
        .map(entry => ({
          client: name,
          where: `MCP server ${entry.name}`,
          problems: deadWords(entry.words, terminal),
        }))
    } catch {
      // A file that cannot be read is the client's to complain about.
      return []
    }
  })
}

function fixOf(client: string, where: string): string {
  if (where.startsWith('MCP server '))
    return `mulligan mcp remove ${client} ${where.slice('MCP server '.length)}`
  if (where === 'settings.json') return 'mulligan proxy, or take the URL away there'
  if (where === IN_CONFIG) return 'start what should listen there, or change the address in its config'
  if (where.endsWith('_BASE_URL')) return `mulligan proxy, or unset ${where}`
  return `mulligan install ${client} --remove, then again`
}

/** A line each, for people. */
export function foundInWords(found: readonly Found[]): string {
  return found
    .map(({ client, where, problems }) => {
      const fix = fixOf(client, where)
      const state = problems.length === 0 ? 'ok' : `${problems.join('; ')}; fix: ${fix}`
      return `  ${client} (${where}): ${state}\n`
    })
    .join('')
}
