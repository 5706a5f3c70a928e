import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JsonPath } from './jsonc-edit.ts'

/** Where and how a client stores its MCP servers. */
export interface McpClient {
  /** Its name in messages. */
  title: string
  format: 'json' | 'toml'
  /** The user's own file. */
  userFile: (host: ClientHome) => string
  /** Another file extension that the client also reads. Default none. */
  orEnding?: string
  /** The shared file of a project, relative to the project's folder. */
  projectFile: string
  /** The keys under which the servers are. */
  servers: JsonPath
  /** The keys of one project's servers in the user's own file. Default none. */
  serversOfFolder?: (folder: string) => JsonPath
  /** Whether program and arguments are one list (`command`) or separate (`command`, `args`). */
  words: 'one list' | 'apart'
  /** Fields of an entry besides the command. */
  more: Readonly<Record<string, unknown>>
}

/** What determines where a file is. */
export interface ClientHome {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
}

function home({ env }: ClientHome): string {
  return env.HOME || env.USERPROFILE || homedir()
}

function configHome(host: ClientHome): string {
  return host.env.XDG_CONFIG_HOME || join(home(host), '.config')
}

/** The folder of VS Code's user profile. */
function codeFolder(host: ClientHome): string {
  if (host.platform === 'darwin') return join(home(host), 'Library', 'Application Support', 'Code', 'User')
  if (host.platform === 'win32')
    return join(host.env.APPDATA || join(home(host), 'AppData', 'Roaming'), 'Code', 'User')
  return join(configHome(host), 'Code', 'User')
}

/** The supported clients, by name. */
export const CLIENTS: Readonly<Record<string, McpClient>> = {
  claude: {
    title: 'Claude Code',
    format: 'json',
    userFile: host => join(host.env.CLAUDE_CONFIG_DIR || home(host), '.claude.json'),
    projectFile: '.mcp.json',
    servers: ['mcpServers'],
    serversOfFolder: folder => ['projects', folder, 'mcpServers'],
    words: 'apart',
    more: { type: 'stdio' },
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    userFile: host => join(host.env.CODEX_HOME || join(home(host), '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    servers: ['mcp_servers'],
    words: 'apart',
    more: {},
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    userFile: host => host.env.OPENCODE_CONFIG || join(configHome(host), 'opencode', 'opencode.json'),
    orEnding: 'c',
    projectFile: 'opencode.json',
    servers: ['mcp'],
    words: 'one list',
    more: { type: 'local' },
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    userFile: host => join(host.env.GEMINI_CLI_HOME || home(host), '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  qwen: {
    title: 'Qwen Code',
    format: 'json',
    userFile: host => join(home(host), '.qwen', 'settings.json'),
    projectFile: join('.qwen', 'settings.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  kimi: {
    title: 'Kimi Code',
    format: 'json',
    userFile: host => join(host.env.KIMI_CODE_HOME || join(home(host), '.kimi-code'), 'mcp.json'),
    projectFile: join('.kimi-code', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  copilot: {
    title: 'Copilot CLI',
    format: 'json',
    userFile: host => join(host.env.COPILOT_HOME || join(home(host), '.copilot'), 'mcp-config.json'),
    // It reads .mcp.json too, which is Claude Code's.
    projectFile: join('.github', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: { type: 'local', tools: ['*'] },
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    userFile: host => join(home(host), '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    userFile: host => join(codeFolder(host), 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    servers: ['servers'],
    words: 'apart',
    more: { type: 'stdio' },
  },
}
