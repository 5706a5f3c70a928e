import { join } from 'node:path'
import { bare, type Cli, repeated, session, value, words } from './cli.ts'
import { readAttempts } from './gemini.ts'
import { readResultStream } from './result-stream.ts'

/** Its notice that it waits out a limit, for up to five minutes at a time. */
const RETRYING = /^Retrying in (\d+)s \(attempt \d+\/\d+\)(?:: (.*))?$/

/** Qwen Code: flags of Gemini CLI, output of Claude Code. */
export const qwen: Cli = {
  name: 'qwen',
  binary: 'qwen',
  credentialEnv: 'OPENAI_API_KEY',
  promptBy: 'stdin',
  tellsCost: false,
  totalsOfSession: ['usage'],
  endsWithEvent: true,
  minVersion: '0.20.0',
  lostSession: /No saved session found|session .{0,80}not found|No conversation found/i,
  install: 'npm install -g @qwen-code/qwen-code',
  loginCommand: 'qwen (and choose a way to log in), or set OPENAI_API_KEY and pass --auth-type openai',
  takes: {
    model: value('--model'),
    fallbackModel: value('--fallback-model'),
    addDir: repeated('--include-directories'),
    systemPrompt: value('--system-prompt'),
    appendSystemPrompt: value('--append-system-prompt'),
    systemPromptFile: { flag: 'QWEN_SYSTEM_MD', give: path => ({ env: { QWEN_SYSTEM_MD: path } }) },
    permissionMode: words('--approval-mode', {
      default: ['--approval-mode', 'default'],
      acceptEdits: ['--approval-mode', 'auto-edit'],
      plan: ['--approval-mode', 'plan'],
      auto: ['--approval-mode', 'auto'],
      bypassPermissions: ['--approval-mode', 'yolo'],
    }),
    allowedTools: repeated('--allowed-tools'),
    disallowedTools: repeated('--exclude-tools'),
    mcpConfig: repeated('--mcp-config'),
    maxTurns: value('--max-session-turns'),
    jsonSchema: value('--json-schema'),
    hermetic: {
      flag: '--bare',
      give: scope =>
        scope === 'project' ? { refused: 'ignores either all settings or none' } : { argv: ['--bare'] },
    },
    resume: session('--resume'),
    sessionId: value('--session-id'),
    forkSession: bare('--fork-session'),
    noSessionPersistence: {
      flag: '--chat-recording=false',
      give: () => ({ argv: ['--chat-recording=false'] }),
    },
  },
  argv: ({ given, resume }) => [
    '--output-format',
    'stream-json',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  // It would retry a limit for hours.
  env: () => ({ QWEN_CODE_UNATTENDED_RETRY: undefined }),
  read: readResultStream,
  readText(line, reading) {
    const [notice, seconds, cause] = RETRYING.exec(line) ?? []
    if (notice === undefined) readAttempts(line, reading)
    else reading.selfRetried({ cause: cause ?? notice, delayMs: Number(seconds) * 1_000 })
  },
  isNoise: line => /^Ripgrep (?:is )?not available/.test(line),
  async login({ env, home, readFile }) {
    const key = ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'GEMINI_API_KEY'].find(
      name => (env[name] ?? '').trim() !== '',
    )
    if (key !== undefined) return { state: 'present', by: key }
    if (readFile(join(home, '.qwen', 'oauth_creds.json')) !== undefined)
      return { state: 'present', by: 'login' }
    const settings = readFile(join(home, '.qwen', 'settings.json'))
    return settings !== undefined && /"(?:selectedType|apiKey)"/.test(settings)
      ? { state: 'unsure', why: 'its settings name a way to log in, which was not tried' }
      : { state: 'missing' }
  },
}
