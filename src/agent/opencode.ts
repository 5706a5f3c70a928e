import { NO_FINISH_REASON } from '../failure/cli/opencode.ts'
import { bare, type Cli, session, value, words } from './cli.ts'
import { amountIn, objectIn, textIn } from './fields.ts'
import type { Reading } from './reading.ts'

/** The line of its log that tells of a request that failed; without it, it retries in silence for minutes. */
const STREAM_ERROR = /\blevel=ERROR\b.*\bmessage="stream error"/
/** The small model only thinks of a title: what it meets does not stop the work. */
const SMALL = /\bsmall=true\b/

/** Finish reasons of a step that failed; after these two it asks again by itself, without end. */
const FAILED_STEPS: Readonly<Record<string, unknown>> = {
  unknown: NO_FINISH_REASON,
  error: { finishReason: 'error' },
}
/** Finish reasons of an answer that is none. */
const CUT_ANSWERS = new Set(['length', 'content-filter'])

function finished(reason: string | undefined, reading: Reading): void {
  const failed = FAILED_STEPS[reason ?? '']
  if (failed !== undefined) {
    reading.ended = 'failed'
    reading.selfRetried({ cause: failed })
    return
  }
  reading.worked()
  if (reason === 'stop') reading.ended = 'succeeded'
  if (CUT_ANSWERS.has(reason ?? '')) reading.ended = 'failed'
}

const DENIED = /permission requested: (\w+).*auto-rejecting/

/** opencode. */
export const opencode: Cli = {
  name: 'opencode',
  binary: 'opencode',
  promptBy: 'stdin',
  tellsCost: true,
  // The end is the exit: there is no event for it.
  endsWithEvent: false,
  minVersion: '1.0.0',
  lostSession: /Session not found/i,
  install: 'npm install -g opencode-ai',
  loginCommand: 'opencode auth login',
  takes: {
    model: value('--model'),
    permissionMode: words('--auto', { default: [], bypassPermissions: ['--auto'] }),
    agent: value('--agent'),
    effort: value('--variant'),
    resume: session('--session'),
    forkSession: bare('--fork'),
  },
  argv: ({ given, resume }) => [
    'run',
    '--format',
    'json',
    '--print-logs',
    '--log-level',
    'ERROR',
    ...(resume === undefined ? [] : ['--session', resume]),
    ...given,
  ],
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  read(event, reading) {
    reading.sessionId = textIn(event.sessionID) ?? reading.sessionId
    const part = objectIn(event.part)
    switch (event.type) {
      case 'step_start':
        // It goes on, so what failed before was not the end; the last step holds the answer.
        reading.ended = undefined
        reading.text = ''
        reading.isInStep = true
        reading.began()
        reading.turn()
        break
      case 'text':
        reading.said()
        reading.text += textIn(part.text) ?? ''
        break
      case 'reasoning':
        reading.said()
        break
      case 'tool_use':
        reading.usedTool()
        break
      case 'step_finish': {
        reading.said()
        // An answer without anything in it has no beginning, and it asks again without end.
        if (!reading.isInStep) reading.turn()
        reading.isInStep = false
        const tokens = objectIn(part.tokens)
        const cachedTokens = amountIn(objectIn(tokens.cache).read) ?? 0
        reading.addUsage({
          inputTokens: (amountIn(tokens.input) ?? 0) + cachedTokens,
          outputTokens: amountIn(tokens.output) ?? 0,
          cachedTokens,
        })
        const cost = amountIn(part.cost)
        if (cost !== undefined) reading.addCost(cost)
        finished(textIn(part.reason), reading)
        break
      }
      case 'error':
        reading.hasResult = true
        reading.ended = 'failed'
        break
      default:
        reading.unknown()
    }
  },
  readText(line, reading) {
    const denied = DENIED.exec(line)?.[1]
    if (denied !== undefined) reading.deniedTools.push(denied)
    if (!STREAM_ERROR.test(line) || SMALL.test(line)) return
    const said = /\berror(?:\.error)?="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
    reading.selfRetried({ cause: said ?? line })
  },
  // Its log is asked for, to see it retry; the rest of it speaks of other things than the run.
  isNoise: line => /^timestamp=\S+ level=/.test(line) && (!STREAM_ERROR.test(line) || SMALL.test(line)),
  async login({ ask }) {
    const { stdout } = await ask(['auth', 'list'])
    const found = [...stdout.matchAll(/(\d+) (?:credentials?|environment variables?)/g)]
    if (found.some(([, count]) => count !== '0')) return { state: 'present', by: 'its list of credentials' }
    return { state: 'unsure', why: 'it lists no credentials, but a provider in its config may need none' }
  },
}
