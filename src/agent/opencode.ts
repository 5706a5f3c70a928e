import { join } from 'node:path'
import { opencode as profile } from '../failure/cli/opencode.ts'
import { bare, type Cli, session, value, words } from './cli.ts'

/** Logged before each tool starts. */
const TOOL_BEGINS = /^timestamp=\S+ level=INFO .*?\bmessage=evaluated permission=([\w.-]+)/
/** The log line for a failed request; without it, opencode retries silently for minutes. */
const STREAM_ERROR = /\blevel=ERROR\b.*\bmessage="stream error"/
/** The small model only writes a title: its failures do not stop the work. */
const SMALL = /\bsmall=true\b/

const WORDLESS = /^(?:AI_)?APICallError:(?: unknown)?\s*$/

const DENIED = /permission requested: (\w+).*auto-rejecting/

/** opencode. */
export const opencode: Cli = {
  name: 'opencode',
  profile,
  binary: 'opencode',
  promptBy: 'stdin',
  tellsCost: true,
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
    // It prints a tool when it has ended, but logs before it starts that it may.
    'INFO',
    // Without a title of its own, a new session asks a model for one, and retries that too.
    ...(resume === undefined ? ['--title', ''] : ['--session', resume]),
    ...given,
  ],
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  watchText(line, progress) {
    const denied = DENIED.exec(line)?.[1]
    if (denied !== undefined) progress.deniedTools = [...progress.deniedTools, denied]
    const allowed = TOOL_BEGINS.exec(line)?.[1]
    if (allowed !== undefined) progress.work({ did: 'tool', tools: [allowed] })
    if (!STREAM_ERROR.test(line) || SMALL.test(line)) return
    const said = /\berror(?:\.error)?="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
    // An answer without words is retried by its status, which the log does not show.
    const isWordless = said !== undefined && WORDLESS.test(said)
    progress.selfRetried({ cause: isWordless ? { message: said, isRetryable: true } : (said ?? line) })
  },
  // Its log is enabled to see it retry; the rest of it is not about the run.
  isNoise: line => /^timestamp=\S+ level=/.test(line) && (!STREAM_ERROR.test(line) || SMALL.test(line)),
  async login({ ask }) {
    const { stdout } = await ask(['auth', 'list'])
    const found = [...stdout.matchAll(/(\d+) (?:credentials?|environment variables?)/g)]
    if (found.some(([, count]) => count !== '0')) return { state: 'present', by: 'its list of credentials' }
    return { state: 'unsure', why: 'it lists no credentials, but a provider in its config may need none' }
  },
  loginPlace: {
    home: ({ XDG_DATA_HOME: given }, user) => join(given || join(user, '.local', 'share'), 'opencode'),
    files: ['auth.json'],
    variables: [],
  },
}
