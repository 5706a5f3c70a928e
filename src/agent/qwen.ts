import { homedir } from 'node:os'
import { join } from 'node:path'
import { qwen as profile } from '../failure/cli/qwen.ts'
import { bearer, keyIn, under } from './asks.ts'
import {
  bare,
  type Cli,
  type Login,
  type LoginSources,
  type OwnFiles,
  repeated,
  session,
  value,
  words,
} from './cli.ts'
import type { Asks } from './connection-look.ts'
import { type Fields, objectIn, textIn } from './fields.ts'
import { watchAttempts } from './gemini.ts'
import { isGiven, jsonFile, oauthLogin } from './login-file.ts'
import type { RunProgress } from './run-progress.ts'
import { answerEnd, type SideRecord } from './side-record.ts'
import { telemetryInto } from './telemetry.ts'

/** Its notice that it waits for a limit to lift, for up to five minutes at a time. */
const RETRYING = /^Retrying in (\d+)s \(attempt \d+\/\d+\)(?:: (.*))?$/

const LOG_LINE = /^\d{4}-\d\d-\d\dT[\d:.]+Z \[\w+\] /
/** A log entry about a failed try: what it does next, an object over many lines, then the error. */
const LOGGED_TRY =
  /^\S+ \[\w+\] \[RETRY\] (?:\[trace_id=[^\]]*\] )?Attempt \d+ failed(?: with status (\d{3}))?.*Retrying/
const LOGGED_ERROR = /^\} \w*(?:Error|Exception): (.*)$/

function watchLog(line: string, progress: RunProgress): void {
  const error = LOGGED_ERROR.exec(line)?.[1]
  const isNext = LOG_LINE.test(line)
  if (progress.notice !== undefined && (isNext || error !== undefined)) {
    loggedTry(progress.notice, error, progress)
    progress.notice = undefined
  }
  if (LOGGED_TRY.test(line)) progress.notice = line
}

function loggedTry(entry: string, error: string | undefined, progress: RunProgress): void {
  const status = LOGGED_TRY.exec(entry)?.[1]
  const [, ms] = /explicit delay of (\d+)ms/.exec(entry) ?? []
  const [, seconds] = /Retrying with backoff in (\d+)s/.exec(entry) ?? []
  const delayMs = ms === undefined ? Number(seconds) * 1_000 : Number(ms)
  progress.selfRetried({
    cause: {
      message: error ?? entry,
      ...(status === undefined ? {} : { status: Number(status) }),
      // The vendor's own header, which the message need not repeat.
      ...(ms === undefined ? {} : { headers: { 'retry-after-ms': ms } }),
    },
    ...(Number.isFinite(delayMs) ? { delayMs } : {}),
  })
}

/** Qwen Code: Gemini CLI's flags, Claude Code's output. */
export const qwen: Cli = {
  name: 'qwen',
  profile,
  binary: 'qwen',
  credentialEnv: 'OPENAI_API_KEY',
  promptBy: 'stdin',
  tellsCost: false,
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
  defaults: own => {
    const variable = 'QWEN_CODE_SYSTEM_DEFAULTS_PATH'
    const isTaken = own.env[variable] || own.readFile('/etc/qwen-code/system-defaults.json') !== undefined
    // Its client of the vendor's API retries below its own retries, four requests for one.
    const content = JSON.stringify({ model: { generationConfig: { maxRetries: 0 } } })
    return isTaken ? undefined : { variable, content }
  },
  // Otherwise it would retry a limit for hours.
  env: () => ({ QWEN_CODE_UNATTENDED_RETRY: undefined }),
  watchText(line, progress) {
    const [notice, seconds, cause] = RETRYING.exec(line) ?? []
    if (notice === undefined) watchAttempts(line, progress)
    else progress.selfRetried({ cause: cause ?? notice, delayMs: Number(seconds) * 1_000 })
  },
  // It retries silently, for hours if told to; its log records each try.
  log: {
    variable: 'QWEN_DEBUG_LOG_FILE',
    path: (sessionId, env) =>
      join(
        env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(env.HOME || homedir(), '.qwen'),
        'debug',
        `${sessionId}.txt`,
      ),
    watch: watchLog,
  },
  sideRecord: {
    ask: (file, at) =>
      telemetryInto(file, at, {
        prefix: 'QWEN',
        folder: '.qwen',
        system: [
          at.env.QWEN_CODE_SYSTEM_SETTINGS_PATH || '/etc/qwen-code/settings.json',
          at.env.QWEN_CODE_SYSTEM_DEFAULTS_PATH || '/etc/qwen-code/system-defaults.json',
          '/Library/Application Support/QwenCode/settings.json',
        ],
      }),
    mark: /"qwen-code\.llm_request"/,
    read: recordedEnd,
  },
  isNoise: line => /^Ripgrep (?:is )?not available/.test(line),
  connection: { trusts: 'node', asks: asksOf },
  login: async sources => loginOf(sources),
  loginPlace: {
    home: ({ QWEN_HOME: given }, user) => given || join(user, '.qwen'),
    files: ['oauth_creds.json', 'settings.json'],
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  },
}

/** A request in its telemetry, written when it is over. Its own helpers, such as that for memory, have a name. */
function recordedEnd({ name, attributes }: Fields): ReturnType<SideRecord['read']> {
  const request = objectIn(attributes)
  if (name !== 'qwen-code.llm_request' || request['llm_request.context'] !== 'interaction') return undefined
  if (request.subagent_name !== undefined) return undefined
  return { end: request.finish_reason === undefined ? undefined : answerEnd(request.finish_reason) }
}

/** An address in its settings goes before that of its environment. */
function asksOf({ env, home, readFile }: OwnFiles): Asks | undefined {
  const settings = jsonFile(readFile(join(env.QWEN_HOME || join(home, '.qwen'), 'settings.json')))
  const { baseUrl, apiKey } = objectIn(objectIn(settings.security).auth)
  const base = textIn(baseUrl) ?? env.OPENAI_BASE_URL
  if (!base) return undefined
  return {
    url: under(base, 'chat/completions'),
    key: keyIn(bearer(textIn(apiKey) ?? env.OPENAI_API_KEY)),
  }
}

/** Variables that choose a login method, only if all of them are set. */
const WAYS: readonly (readonly [way: string, variables: readonly (readonly string[])[]])[] = [
  ['openai', [['OPENAI_API_KEY'], ['OPENAI_MODEL', 'QWEN_MODEL'], ['OPENAI_BASE_URL']]],
  ['gemini', [['GEMINI_API_KEY'], ['GEMINI_MODEL']]],
  ['vertex-ai', [['GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT'], ['GOOGLE_MODEL']]],
  ['anthropic', [['ANTHROPIC_API_KEY'], ['ANTHROPIC_MODEL'], ['ANTHROPIC_BASE_URL']]],
]
const KEYS: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
}

/** Without a chosen login method it refuses to run, even if keys are set. */
function loginOf({ env, home, readFile, settings, now }: LoginSources): Login {
  const root = env.QWEN_HOME || join(home, '.qwen')
  const text = readFile(join(root, 'settings.json'))
  const auth = objectIn(objectIn(jsonFile(text).security).auth)
  const args = settings.args ?? []
  const given = args.find((_, index) => args[index - 1] === '--auth-type')
  const way = given ?? textIn(auth.selectedType) ?? wayOfEnvironment(env)
  if (way === undefined)
    return {
      state: 'missing',
      why: 'no login method is chosen: pass --auth-type, choose one in its settings, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL',
    }
  if (way === 'qwen-oauth') {
    const file = readFile(join(root, 'oauth_creds.json'))
    return file === undefined ? { state: 'missing' } : oauthLogin(file, now)
  }
  const key = KEYS[way]
  if (key !== undefined && isGiven(env[key])) return { state: 'present', by: key }
  if (isGiven(auth.apiKey)) return { state: 'present', by: 'its settings' }
  // Its settings may name other variables, or a file with them.
  const mayBeElsewhere = key === undefined || /"(?:modelProviders|env)"/.test(text ?? '')
  return mayBeElsewhere
    ? { state: 'unsure', why: `it logs in by ${way}, which was not tested` }
    : { state: 'missing', why: `it logs in by ${way}, but ${key} is not set` }
}

function wayOfEnvironment(env: LoginSources['env']): string | undefined {
  if (isGiven(env.QWEN_OAUTH)) return 'qwen-oauth'
  return WAYS.find(([, all]) => all.every(any => any.some(name => isGiven(env[name]))))?.[0]
}
