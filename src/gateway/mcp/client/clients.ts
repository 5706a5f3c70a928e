import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JsonPath } from './jsonc-edit.ts'

/** Where and how a client stores its MCP servers. */
export interface McpClient {
  /** Its name in messages. */
  title: string
  format: 'json' | 'toml'
  /** The user's own file. */
  userFile: (place: Place) => string
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
export interface Place {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
}

function home({ env }: Place): string {
  return env.HOME || env.USERPROFILE || homedir()
}

function configHome(place: Place): string {
  return place.env.XDG_CONFIG_HOME || join(home(place), '.config')
}

/** The folder of VS Code's user profile. */
function codeFolder(place: Place): string {
  if (place.platform === 'darwin') return join(home(place), 'Library', 'Application Support', 'Code', 'User')
  if (place.platform === 'win32')
    return join(place.env.APPDATA || join(home(place), 'AppData', 'Roaming'), 'Code', 'User')
  return join(configHome(place), 'Code', 'User')
}

/** The supported clients, by name. */
export const CLIENTS: Readonly<Record<string, McpClient>> = {
  claude: {
    title: 'Claude Code',
    format: 'json',
    userFile: place => join(place.env.CLAUDE_CONFIG_DIR || home(place), '.claude.json'),
    projectFile: '.mcp.json',
    servers: ['mcpServers'],
    serversOfFolder: folder => ['projects', folder, 'mcpServers'],
    words: 'apart',
    more: { type: 'stdio' },
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    userFile: place => join(place.env.CODEX_HOME || join(home(place), '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    servers: ['mcp_servers'],
    words: 'apart',
    more: {},
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    userFile: place => place.env.OPENCODE_CONFIG || join(configHome(place), 'opencode', 'opencode.json'),
    orEnding: 'c',
    projectFile: 'opencode.json',
    servers: ['mcp'],
    words: 'one list',
    more: { type: 'local' },
  },
  gemini: {
    title: 'Gemini CLI',
    format: 'json',
    userFile: place => join(place.env.GEMINI_CLI_HOME || home(place), '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  qwen: {
    title: 'Qwen Code',
    format: 'json',
    userFile: place => join(home(place), '.qwen', 'settings.json'),
    projectFile: join('.qwen', 'settings.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  kimi: {
    title: 'Kimi Code',
    format: 'json',
    userFile: place => join(place.env.KIMI_CODE_HOME || join(home(place), '.kimi-code'), 'mcp.json'),
    projectFile: join('.kimi-code', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  copilot: {
    title: 'Copilot CLI',
    format: 'json',
    userFile: place => join(place.env.COPILOT_HOME || join(home(place), '.copilot'), 'mcp-config.json'),
    // It reads .mcp.json too, which is Claude Code's.
    projectFile: join('.github', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: { type: 'local', tools: ['*'] },
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    userFile: place => join(home(place), '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    servers: ['mcpServers'],
    words: 'apart',
    more: {},
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    userFile: place => join(codeFolder(place), 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    servers: ['servers'],
    words: 'apart',
    more: { type: 'stdio' },
  },
}
