import { join } from 'node:path'
import { type Cli, repeated, session, value, words } from './cli.ts'
import { amountIn, textIn, textOfContent } from './fields.ts'
import { SELF_RETRIES_DEFAULT } from './settings.ts'

/** Kimi Code, the one written for Node. It takes a prompt only as an argument. */
export const kimi: Cli = {
  name: 'kimi',
  binary: 'kimi',
  promptBy: 'argument',
  tellsCost: false,
  // A run that fails says so in words on stderr.
  endsWithEvent: false,
  minVersion: '2.0.0',
  keptBySession: ['agent'],
  lostSession: /session .{0,80}(?:not found|does not exist)|no such session/i,
  install: 'npm install -g @moonshot-ai/kimi-code',
  loginCommand: 'kimi login',
  takes: {
    model: value('--model'),
    addDir: repeated('--add-dir'),
    permissionMode: words('--auto', {
      default: [],
      plan: ['--plan'],
      auto: ['--yolo'],
      bypassPermissions: ['--auto'],
    }),
    agent: value('--agent'),
    resume: session('--session'),
  },
  argv: ({ given, resume, prompt }) => [
    '--output-format',
    'stream-json',
    ...(resume === undefined ? [] : ['--session', resume]),
    ...given,
    '-p',
    prompt,
  ],
  env: ({ selfRetries = SELF_RETRIES_DEFAULT }) => ({
    KIMI_LOOP_MAX_RETRIES_PER_STEP: String(selfRetries + 1),
    KIMI_CODE_INFINITE_RETRY: undefined,
  }),
  read(event, reading) {
    if (event.role === 'meta') {
      reading.sessionId = textIn(event.session_id) ?? reading.sessionId
      if (event.type !== 'turn.step.retrying') return
      const delayMs = amountIn(event.delay_ms)
      reading.selfRetried({ cause: event, ...(delayMs === undefined ? {} : { delayMs }) })
      return
    }
    if (event.role !== 'assistant' && event.role !== 'tool') {
      reading.unknown()
      return
    }
    reading.worked()
    if (event.role === 'tool') reading.text = ''
    if (event.role !== 'assistant') return
    reading.turn()
    const text = textOfContent(event.content)
    if (text !== '') reading.text = text
  },
  async login({ home, readFile }) {
    const config = readFile(join(home, '.kimi-code', 'config.toml'))
    return config !== undefined && /^\s*default_model\s*=/m.test(config)
      ? { state: 'present', by: 'its config' }
      : { state: 'missing' }
  },
}
