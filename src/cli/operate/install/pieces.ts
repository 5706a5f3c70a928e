import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ClientConfig } from '../../../gateway/mcp/client/client-config.ts'
import { CLIENTS, type McpClient } from '../../../gateway/mcp/client/clients.ts'
import { claudePlugin } from './claude-plugin.ts'
import { hookEntries, withHooks, withoutHooks } from './hook-entries.ts'
import { opencodePlugin } from './opencode-plugin.ts'
import type { Piece, Site } from './piece.ts'
import type { Installation } from './record.ts'
import { SKILL } from './skill.ts'

/** A client that Mulligan can be installed in. */
export interface Installable {
  title: string
  /** What it gets, for people. */
  parts: readonly string[]
  /** What it has no hook for, or what was not found to work. */
  lacks: string
  pieces: (site: Site) => readonly Piece[]
}

const OWN_NAME = 'mulligan'

/** The clients, by name, with what each can take today. */
export const INSTALLABLE: Readonly<Record<string, Installable>> = {
  claude: {
    title: 'Claude Code',
    parts: ['MCP server', 'hooks Stop, StopFailure, PostToolUseFailure', 'skill', 'status line'],
    lacks: 'a hook that decides about retries: the proxy does that',
    pieces: site => claudePlugin(site),
  },
  codex: {
    title: 'Codex',
    parts: ['MCP server', 'skill'],
    lacks: 'a hook for failures',
    pieces: site => [server('codex', site), skillIn(folderOf('codex', site))],
  },
  opencode: {
    title: 'opencode',
    parts: ['MCP server', 'plugin: fetch that retries and waits, failures recorded, council_review'],
    lacks: 'a hook that keeps a session from ending',
    pieces: site => [server('opencode', site), opencodePlugin(site, folderOf('opencode', site))],
  },
  gemini: {
    title: 'Gemini CLI',
    parts: ['MCP server', 'skill'],
    lacks: 'a hook for failures',
    pieces: site => [server('gemini', site), skillIn(folderOf('gemini', site))],
  },
  qwen: {
    title: 'Qwen Code',
    parts: ['MCP server', 'hooks Stop, StopFailure, PostToolUseFailure', 'skill'],
    lacks: 'a status line of programs',
    pieces: site => [server('qwen', site), hooks('qwen', site), skillIn(folderOf('qwen', site))],
  },
  kimi: {
    title: 'Kimi Code',
    parts: ['MCP server'],
    lacks: 'hooks outside the file with its login, which is left alone',
    pieces: site => [server('kimi', site)],
  },
  copilot: {
    title: 'Copilot CLI',
    parts: ['MCP server'],
    lacks: 'hooks that were seen to work',
    pieces: site => [server('copilot', site)],
  },
}

/** What an installation consists of; nothing for a client that is not known. */
export function piecesOf(
  {
    client,
    project,
    words,
    continues = false,
    proxy,
  }: Pick<Installation, 'client' | 'words' | 'continues' | 'proxy'> & { project?: string | undefined },
  env: Site['env'],
): readonly Piece[] {
  const known = Object.hasOwn(INSTALLABLE, client) ? INSTALLABLE[client] : undefined
  return known?.pieces({ env, platform: process.platform, project, words, continues, proxy }) ?? []
}

function clientOf(name: string): McpClient {
  return CLIENTS[name] as McpClient
}

/** The client's own file. */
export function fileOf(name: string, site: Site): string {
  const client = clientOf(name)
  return site.project === undefined ? client.userFile(site) : join(site.project, client.projectFile)
}

/** The folder of the client's own file. */
function folderOf(name: string, site: Site): string {
  const file = fileOf(name, site)
  return name === 'opencode' && site.project !== undefined
    ? join(site.project, '.opencode')
    : join(file, '..')
}

function skillIn(folder: string): Piece {
  return { file: join(folder, 'skills', OWN_NAME, 'SKILL.md'), own: SKILL }
}

/** Mulligan's own server, unless one of this name is there already. */
function server(name: string, site: Site): Piece {
  const file = fileOf(name, site)
  const words = [...site.words, 'mcp']
  const configOf = (text: string) => new ClientConfig(clientOf(name), file, text)
  return {
    file,
    part: 'server',
    edit: text => (configOf(text).entry(OWN_NAME) ? text : configOf(text).with(OWN_NAME, words)),
    without: text => {
      const entry = configOf(text).entry(OWN_NAME)
      if (!entry) return text
      return isDeepStrictEqual(entry.words, words) ? configOf(text).without(OWN_NAME) : undefined
    },
  }
}

function hooks(name: string, site: Site): Piece {
  const entries = hookEntries(site, name)
  return {
    file: fileOf(name, site),
    part: 'hooks',
    edit: text => withHooks(text, entries),
    without: text => withoutHooks(text, entries),
  }
}
