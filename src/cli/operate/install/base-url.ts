import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { claudeHome } from '../../../agent/claude-costs.ts'
import { CLIS } from '../../../agent/clis.ts'
import { ownFiles } from '../../../agent/launch.ts'
import { parseJsonc, valueOfNode } from '../../../gateway/mcp/client/jsonc.ts'
import { withoutMember, withValue } from '../../../gateway/mcp/client/jsonc-edit.ts'
import type { Terminal } from '../../terminal.ts'
import type { Found } from './found.ts'
import type { Edit } from './piece.ts'

/** Variables that point a client at a base URL. */
const VARIABLES: Readonly<Record<string, string>> = {
  claude: 'ANTHROPIC_BASE_URL',
  gemini: 'GOOGLE_GEMINI_BASE_URL',
  qwen: 'OPENAI_BASE_URL',
  copilot: 'COPILOT_PROVIDER_BASE_URL',
}

/** Points Claude Code at the proxy, in its settings; a base URL of the user's own stays. */
export function claudeBaseUrl(url: string): Edit {
  const value = `${url}/anthropic`
  return {
    part: 'base URL',
    edit: text => {
      const start = text.trim() === '' ? '{}\n' : text
      return baseUrlIn(start) === undefined ? withValue(start, ['env', 'ANTHROPIC_BASE_URL'], value) : text
    },
    without: text => {
      const now = baseUrlIn(text)
      if (now === undefined) return text
      if (now !== value) return undefined
      const rest = withoutMember(text, ['env', 'ANTHROPIC_BASE_URL'])
      return Object.keys(envIn(rest)).length === 0 ? withoutMember(rest, ['env']) : rest
    },
  }
}

function baseUrlIn(settings: string): unknown {
  return envIn(settings).ANTHROPIC_BASE_URL
}

function envIn(settings: string): Record<string, unknown> {
  if (settings.trim() === '') return {}
  const { env } = (valueOfNode(parseJsonc(settings)) ?? {}) as { env?: unknown }
  return typeof env === 'object' && env !== null ? (env as Record<string, unknown>) : {}
}

/** Clients that point at a port of this machine where nothing listens: each of their questions would fail. */
export async function deadBaseUrls({ env }: Pick<Terminal, 'env'>): Promise<readonly Found[]> {
  const pointed = [
    ...Object.entries(VARIABLES).map(([client, name]) => ({ client, where: name, url: env[name] })),
    { client: 'claude', where: 'settings.json', url: claudeSetting(env) },
    ...CONFIGURED.map(client => ({ client, where: IN_CONFIG, url: configured(client, env) })),
  ]
  const found = await Promise.all(
    pointed.map(async ({ client, where, url }) => {
      const at = ownPortOf(url)
      if (!at || (await isListening(at))) return []
      return [{ client, where, problems: [`it asks ${url}, where nothing listens`] }]
    }),
  )
  return found.flat()
}

/** Clients whose own config has a base URL. */
const CONFIGURED = ['codex', 'opencode', 'kimi', 'qwen'] as const

/** Where a base URL is that no variable sets. */
export const IN_CONFIG = 'its config'

/** The address in a client's own config, as the client finds it without variables. */
function configured(client: (typeof CONFIGURED)[number], env: Terminal['env']): string | undefined {
  const { [VARIABLES[client] ?? '']: _variable, ...own } = env
  const asks = CLIS[client].connection?.asks(ownFiles(own), { id: client, cli: client }, undefined)
  return asks && URL.parse(asks.url)?.origin
}

function claudeSetting(env: Terminal['env']): string | undefined {
  try {
    const file = join(claudeHome(env, env.HOME ?? ''), 'settings.json')
    const url = existsSync(file) ? baseUrlIn(readFileSync(file, 'utf8')) : undefined
    return typeof url === 'string' ? url : undefined
  } catch {
    // A file that cannot be read is the client's to complain about.
    return undefined
  }
}

/** Host and port of a URL of this machine; other hosts are not asked. */
function ownPortOf(url: string | undefined): { host: string; port: number } | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (!['127.0.0.1', 'localhost', '::1'].includes(host)) return undefined
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) }
}

const PATIENCE_MS = 1_000

function isListening(at: { host: string; port: number }): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(at)
    const end = (isThere: boolean) => {
      socket.destroy()
      resolve(isThere)
    }
    socket.setTimeout(PATIENCE_MS, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
