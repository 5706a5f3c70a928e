import { codexProvider, opencodeConfig } from '../../lab/environment.ts'

/** What an agent is started with. */
export interface AgentSettings {
  /** Address of its model. */
  url: string
  /** Name of its only MCP server. */
  server: string
  /** Words that start the server. */
  argv: readonly string[]
  /** Tools of the server that it may call. */
  tools: readonly string[]
  prompt: string
}

/** How an agent is started. */
export interface Agent {
  argv: string[]
  env: Record<string, string>
  /** Files that it needs, by their path in its home. Default none. */
  files?: Record<string, string>
  /** A call of a tool that the client has by itself. */
  own: { tool: string; input: unknown }
}

const OWN_WORK = 'echo other work is done'

/** How each client is told of its model and its server. */
export const AGENTS: Record<string, (settings: AgentSettings) => Agent> = {
  claude: ({ url, server, argv: [command, ...args], tools, prompt }) => ({
    argv: [
      'claude',
      '-p',
      prompt,
      '--output-format',
      'json',
      '--mcp-config',
      JSON.stringify({ mcpServers: { [server]: { command, args } } }),
      '--allowedTools',
      ['Bash', ...tools.map(tool => `mcp__${server}__${tool}`)].join(','),
    ],
    own: { tool: 'Bash', input: { command: OWN_WORK, description: 'Other work' } },
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'lab',
      CLAUDE_CODE_MAX_RETRIES: '0',
      ENABLE_TOOL_SEARCH: 'false',
      MCP_CONNECTION_NONBLOCKING: 'false',
    },
  }),
  codex: ({ url, server, argv: [command, ...args], prompt }) => ({
    argv: [
      'codex',
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-c',
      'model_provider=lab',
      '-m',
      'gpt-5',
      '-c',
      `model_providers.lab=${codexProvider(url)}`,
      '-c',
      `mcp_servers.${server}={command=${JSON.stringify(command)},args=${JSON.stringify(args)},required=true}`,
      prompt,
    ],
    env: { LAB_API_KEY: 'lab' },
    own: { tool: 'exec_command', input: { cmd: OWN_WORK } },
  }),
  opencode: ({ url, server, argv, prompt }) => ({
    argv: ['opencode', 'run', '-m', 'lab/claude-lab-1', prompt],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...opencodeConfig(url),
        mcp: { [server]: { type: 'local', command: argv } },
      }),
    },
    own: { tool: 'bash', input: { command: OWN_WORK, description: 'Other work' } },
  }),
  gemini: ({ url, server, argv: [command, ...args], prompt }) => ({
    argv: ['gemini', '-p', prompt, '-o', 'json', '--skip-trust', '--yolo', '-m', 'gemini-2.5-flash'],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'lab' },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { maxAttempts: 1, disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { [server]: { command, args, trust: true } },
      }),
    },
    own: { tool: 'run_shell_command', input: { command: OWN_WORK, description: 'Other work' } },
  }),
}
