import { join } from 'node:path'
import { type Cli, repeated, session, value, words } from './cli.ts'
import { amountIn, objectIn, textIn } from './fields.ts'

const ATTEMPT = /^Attempt \d+ failed(?::? with status (\d{3}))?/
const WAIT = /Retrying after (\d+)\s?ms/

/** Gemini CLI. Its retries can be set only in a file that an administrator owns, so they are watched instead. */
export const gemini: Cli = {
  name: 'gemini',
  knownAs: 'gemini-cli',
  binary: 'gemini',
  credentialEnv: 'GEMINI_API_KEY',
  promptBy: 'stdin',
  tellsCost: false,
  endsWithEvent: true,
  minVersion: '0.20.0',
  lostSession: /Error resuming session|Invalid session identifier|No previous sessions found/i,
  install: 'npm install -g @google/gemini-cli',
  loginCommand: 'gemini (and choose a way to log in), or set GEMINI_API_KEY',
  takes: {
    model: value('--model'),
    addDir: repeated('--include-directories'),
    systemPromptFile: { flag: 'GEMINI_SYSTEM_MD', give: path => ({ env: { GEMINI_SYSTEM_MD: path } }) },
    permissionMode: words('--approval-mode', {
      default: ['--approval-mode', 'default'],
      acceptEdits: ['--approval-mode', 'auto_edit'],
      plan: ['--approval-mode', 'plan'],
      bypassPermissions: ['--approval-mode', 'yolo'],
    }),
    allowedTools: repeated('--allowed-tools'),
    resume: session('--resume'),
    sessionId: value('--session-id'),
  },
  argv: ({ given, resume }) => [
    '--output-format',
    'stream-json',
    // Nobody is there to be asked whether the folder is to be trusted.
    '--skip-trust',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  env: () => ({ GEMINI_CLI_NO_RELAUNCH: '1' }),
  read(event, reading) {
    switch (event.type) {
      case 'init':
        reading.sessionId = textIn(event.session_id) ?? reading.sessionId
        reading.model = textIn(event.model) ?? reading.model
        break
      case 'message':
        if (event.role !== 'assistant') break
        reading.worked()
        if (reading.text === '') reading.turn()
        reading.text += typeof event.content === 'string' ? event.content : ''
        break
      case 'tool_use':
        if (reading.text === '') reading.turn()
        reading.text = ''
        reading.worked()
        break
      case 'tool_result':
        reading.text = ''
        reading.worked()
        break
      case 'result': {
        reading.hasResult = true
        reading.ended = event.status === 'success' ? 'succeeded' : 'failed'
        const stats = objectIn(event.stats)
        reading.total({
          usage: {
            inputTokens: amountIn(stats.input_tokens) ?? 0,
            outputTokens: amountIn(stats.output_tokens) ?? 0,
            cachedTokens: amountIn(stats.cached) ?? 0,
          },
        })
        break
      }
      // A warning, or what a result says again.
      case 'error':
        break
      default:
        reading.unknown()
    }
  },
  readText: readAttempts,
  isNoise: line => /^Ripgrep (?:is )?not available/.test(line),
  async login({ env, home, readFile }) {
    const names = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA']
    const key = names.find(name => (env[name] ?? '').trim() !== '')
    if (key !== undefined) return { state: 'present', by: key }
    if (readFile(join(home, '.gemini', 'oauth_creds.json')) !== undefined)
      return { state: 'present', by: 'login' }
    return { state: 'missing' }
  },
}

/** Its notice of an attempt of its own, as Qwen Code prints it as well. */
export function readAttempts(line: string, reading: Parameters<NonNullable<Cli['readText']>>[1]): void {
  const attempt = ATTEMPT.exec(line)
  if (!attempt || /Max attempts reached/.test(line)) return
  const wait = WAIT.exec(line)?.[1]
  const message = line.replace(ATTEMPT, '').replace(/^[:.\s]+/, '')
  const status = attempt[1] === undefined ? {} : { status: Number(attempt[1]) }
  reading.selfRetried({
    cause: { message, ...status },
    ...(wait === undefined ? {} : { delayMs: Number(wait) }),
  })
}
