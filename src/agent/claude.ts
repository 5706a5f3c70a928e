import { claude as profile } from '../failure/cli/claude.ts'
import { bearer, keyIn, under } from './asks.ts'
import { claudeHome, recordedCost } from './claude-costs.ts'
import { bare, byFile, type Cli, type Login, type LoginSources, repeated, session, value } from './cli.ts'
import { objectIn, textIn } from './fields.ts'
import { SELF_RETRIES_DEFAULT } from './settings.ts'

const HERMETIC = ['--strict-mcp-config', '--exclude-dynamic-system-prompt-sections']

/** Claude Code. */
export const claude: Cli = {
  name: 'claude',
  profile,
  binary: 'claude',
  credentialEnv: 'ANTHROPIC_API_KEY',
  promptBy: 'stdin',
  tellsCost: true,
  minVersion: '2.0.0',
  lostSession: /No conversation found with session ID/,
  install: 'npm install -g @anthropic-ai/claude-code',
  loginCommand: 'claude auth login',
  takes: {
    model: value('--model'),
    fallbackModel: value('--fallback-model'),
    addDir: repeated('--add-dir'),
    systemPrompt: byFile('--system-prompt-file'),
    appendSystemPrompt: byFile('--append-system-prompt-file'),
    systemPromptFile: value('--system-prompt-file'),
    appendSystemPromptFile: value('--append-system-prompt-file'),
    permissionPromptTool: value('--permission-prompt-tool'),
    maxThinkingTokens: value('--max-thinking-tokens'),
    permissionMode: {
      flag: '--permission-mode',
      give: mode => ({ argv: ['--permission-mode', mode] }),
    },
    allowedTools: repeated('--allowedTools'),
    disallowedTools: repeated('--disallowedTools'),
    mcpConfig: repeated('--mcp-config'),
    agent: value('--agent'),
    effort: value('--effort'),
    maxTurns: value('--max-turns'),
    maxBudgetUsd: value('--max-budget-usd'),
    jsonSchema: value('--json-schema'),
    hermetic: {
      flag: '--setting-sources --strict-mcp-config --exclude-dynamic-system-prompt-sections',
      give: scope => ({ argv: ['--setting-sources', scope === 'project' ? 'user' : '', ...HERMETIC] }),
    },
    resume: session('--resume'),
    sessionId: value('--session-id'),
    forkSession: bare('--fork-session'),
    noSessionPersistence: bare('--no-session-persistence'),
  },
  argv: ({ given, resume }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  env: ({ selfRetries = SELF_RETRIES_DEFAULT }) => ({
    CLAUDE_CODE_MAX_RETRIES: String(selfRetries),
    // It would wait for a reset forever, unnoticed.
    CLAUDE_CODE_RETRY_WATCHDOG: undefined,
    // Claude Code sets this for everything it runs; a separate run must not consider itself nested.
    CLAUDECODE: undefined,
  }),
  recordedCost,
  connection: {
    trusts: 'system',
    asks: ({ env }) =>
      isOn(env.CLAUDE_CODE_USE_BEDROCK) || isOn(env.CLAUDE_CODE_USE_VERTEX)
        ? undefined
        : {
            url: under(env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com', 'v1/messages'),
            key: keyIn({ 'x-api-key': env.ANTHROPIC_API_KEY, ...bearer(env.ANTHROPIC_AUTH_TOKEN) }),
          },
  },
  login: async sources => byEnvironment(sources) ?? (await byStatus(sources)),
  loginPlace: {
    home: claudeHome,
    files: ['.credentials.json'],
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
}

const isOn = (flag: string | undefined) => flag !== undefined && !/^(?:0|false|no|off|)$/i.test(flag.trim())
const isSet = (variable: string | undefined) => variable !== undefined && variable.trim() !== ''

/** In its own order of preference. */
function byEnvironment({ env }: LoginSources): Login | undefined {
  if (isOn(env.CLAUDE_CODE_USE_BEDROCK)) return { state: 'present', by: 'Bedrock' }
  if (isOn(env.CLAUDE_CODE_USE_VERTEX)) return { state: 'present', by: 'Vertex' }
  const key = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'].find(name =>
    isSet(env[name]),
  )
  return key === undefined ? undefined : { state: 'present', by: key }
}

async function byStatus({ ask }: LoginSources): Promise<Login> {
  const { stdout, exitCode } = await ask(['auth', 'status'])
  try {
    const status = objectIn(JSON.parse(stdout))
    if (status.loggedIn === true)
      return { state: 'present', by: textIn(status.authMethod) ?? 'login', isTold: true }
    if (status.loggedIn === false) return { state: 'missing' }
  } catch {
    // An older version prints no JSON, or does not know the command.
  }
  return exitCode === 0
    ? { state: 'present', by: 'login' }
    : { state: 'unsure', why: 'it does not report its login state' }
}
