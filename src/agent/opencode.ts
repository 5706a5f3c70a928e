import { join } from 'node:path'
import { opencode as profile } from '../failure/cli/opencode.ts'
import { bearer, keyIn, under } from './asks.ts'
import { bare, type Cli, type OwnFiles, session, value, words } from './cli.ts'
import type { Asks } from './connection-look.ts'
import { type Fields, objectIn, textIn } from './fields.ts'
import { jsonFile } from './login-file.ts'
import type { AgentSettings } from './settings.ts'

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
    // What it does not repeat, it reports itself right after, with the vendor's words.
    progress.selfRetried({
      by: 'request',
      cause: isWordless ? { message: said, isRetryable: true } : (said ?? line),
    })
  },
  // Its log is enabled to see it retry; the rest of it is not about the run.
  isNoise: line => /^timestamp=\S+ level=/.test(line) && (!STREAM_ERROR.test(line) || SMALL.test(line)),
  connection: { trusts: 'node', asks: asksOf },
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

/** What an adapter of the AI SDK adds to its base URL. */
const PATHS: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'messages',
  '@ai-sdk/openai': 'responses',
}

/** The provider of its model, if its config gives it a base URL; a config with comments is not read. */
function asksOf(own: OwnFiles, { model }: AgentSettings): Asks | undefined {
  const configs = configsOf(own)
  const chosen = model ?? configs.map(config => textIn(config.model)).findLast(each => each !== undefined)
  const [id = ''] = (chosen ?? '').split('/', 1)
  const entries = configs.map(config => objectIn(objectIn(config.provider)[id]))
  const { npm, options } = Object.assign({}, ...entries) as Fields
  const { baseURL, apiKey } = objectIn(options)
  const base = textIn(baseURL)
  if (base === undefined) return undefined
  const path = PATHS[textIn(npm) ?? ''] ?? 'chat/completions'
  const key = textIn(apiKey)
  return {
    url: under(base, path),
    key: keyIn(path === 'messages' ? { 'x-api-key': key } : bearer(key)),
  }
}

/** Its configs, each over those before it. */
function configsOf({ env, home, cwd, readFile }: OwnFiles) {
  const files = [
    join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
    env.OPENCODE_CONFIG,
    cwd === undefined ? undefined : join(cwd, 'opencode.json'),
  ]
  const texts = files.map(file => (file === undefined ? undefined : readFile(file)))
  return [...texts, env.OPENCODE_CONFIG_CONTENT].map(jsonFile)
}
