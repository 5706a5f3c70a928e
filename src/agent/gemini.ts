import { join } from 'node:path'
import { gemini as profile } from '../failure/cli/gemini.ts'
import { keyIn, under } from './asks.ts'
import { type Cli, type Login, type LoginSources, repeated, session, value, words } from './cli.ts'
import { amountIn, type Fields, objectIn, textIn } from './fields.ts'
import { isGiven, jsonFile, oauthLogin } from './login-file.ts'
import type { RunProgress } from './run-progress.ts'
import { answerEnd, type SideRecord } from './side-record.ts'
import { telemetryInto } from './telemetry.ts'

const ATTEMPT = /^Attempt \d+ failed(?::? with status (\d{3}))?/
const WAIT = /Retrying after (?:explicit delay of )?(\d+)\s?ms/

/** Gemini CLI. Its retries can be set only in a file that an administrator owns, so they are watched instead. */
export const gemini: Cli = {
  name: 'gemini',
  profile,
  binary: 'gemini',
  credentialEnv: 'GEMINI_API_KEY',
  promptBy: 'stdin',
  tellsCost: false,
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
    // There is no person to ask whether to trust the folder.
    '--skip-trust',
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...given,
  ],
  env: () => ({ GEMINI_CLI_NO_RELAUNCH: '1' }),
  watchText: watchAttempts,
  sideRecord: {
    ask: (file, at) =>
      telemetryInto(file, at, {
        prefix: 'GEMINI',
        folder: '.gemini',
        system: [
          at.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || '/etc/gemini-cli/settings.json',
          at.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || '/etc/gemini-cli/system-defaults.json',
          '/Library/Application Support/GeminiCli/settings.json',
        ],
      }),
    mark: /"gemini_cli\.api_(?:request|response|error)"/,
    read: recordedEnd,
  },
  isNoise: line => /^Ripgrep (?:is )?not available|^\[STARTUP\] /.test(line),
  connection: {
    trusts: 'node',
    asks: ({ env }, { model = 'gemini-2.5-flash' }) => ({
      url: under(
        env.GOOGLE_GEMINI_BASE_URL || 'https://generativelanguage.googleapis.com',
        `v1beta/models/${encodeURIComponent(model)}:generateContent`,
      ),
      key: keyIn({ 'x-goog-api-key': env.GEMINI_API_KEY || env.GOOGLE_API_KEY }),
    }),
  },
  login: async sources => loginOf(sources),
  loginPlace: {
    home: (_env, user) => join(user, '.gemini'),
    files: ['oauth_creds.json', 'settings.json', '.env'],
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
}

/** A notice ends with what it does next. */
const NEXT = /Retrying (?:after|with|in)\b|Max attempts reached/
/** More lines than any notice has, so one without an end does not swallow the rest. */
const LONGEST_NOTICE = 20

/**
 * Its notice of a failed attempt, which Qwen Code prints too. It may span several lines: how long a limit lasts comes below a
 * sentence that sounds as if it lasted forever.
 */
export function watchAttempts(line: string, progress: RunProgress): void {
  const begun = ATTEMPT.test(line)
    ? line
    : progress.notice === undefined
      ? undefined
      : `${progress.notice}\n${line}`
  if (begun === undefined) return
  const isWhole = NEXT.test(line) || begun.split('\n').length >= LONGEST_NOTICE
  progress.notice = isWhole ? undefined : begun
  if (isWhole) attempted(begun, progress)
}

function attempted(notice: string, progress: RunProgress): void {
  if (/Max attempts reached/.test(notice)) return
  const wait = WAIT.exec(notice)?.[1]
  const status = ATTEMPT.exec(notice)?.[1]
  progress.selfRetried({
    cause: {
      message: notice.replace(ATTEMPT, '').replace(/^[:.\s]+/, ''),
      ...(status === undefined ? {} : { status: Number(status) }),
    },
    ...(wait === undefined ? {} : { delayMs: Number(wait) }),
  })
}

/** An event of its telemetry. Side conversations have their own role. */
function recordedEnd({ attributes }: Fields): ReturnType<SideRecord['read']> {
  const event = objectIn(attributes)
  if ((event.role ?? 'main') !== 'main') return undefined
  if (event['event.name'] !== 'gemini_cli.api_response') return { end: undefined }
  const reasons = Array.isArray(event.finish_reasons) ? event.finish_reasons : []
  if (reasons.length > 0) return { end: answerEnd(reasons.at(-1)) }
  // A blocked prompt is counted but gets no candidate at all; any other answer has one from its first piece on.
  const isCounted = (amountIn(event.input_token_count) ?? 0) > 0
  return { end: isCounted && event.output_token_count === 0 ? 'filtered' : 'unfinished' }
}

/** In its own order: the login method that its settings choose, else the first that its environment names. */
function loginOf({ env, home, readFile, now }: LoginSources): Login {
  const own = (file: string) => readFile(join(home, '.gemini', file))
  const settings = jsonFile(own('settings.json'))
  const chosen =
    textIn(objectIn(objectIn(settings.security).auth).selectedType) ?? textIn(settings.selectedAuthType)
  const isKeyInFile = /^\s*(?:export )?GEMINI_API_KEY=\s*\S/m.test(own('.env') ?? '')
  const way =
    chosen ?? (isKeyInFile && !isGiven(env.GEMINI_API_KEY) ? 'gemini-api-key' : wayOfEnvironment(env))
  switch (way) {
    case undefined:
      return { state: 'missing', why: 'neither its settings nor its environment choose a login method' }
    case 'oauth-personal': {
      const file = own('oauth_creds.json')
      if (file !== undefined) return oauthLogin(file, now)
      return {
        state: 'unsure',
        why: "its login may be in the system's keychain, which is not checked",
      }
    }
    case 'gemini-api-key':
      if (isGiven(env.GEMINI_API_KEY)) return { state: 'present', by: 'GEMINI_API_KEY' }
      if (isKeyInFile) return { state: 'present', by: 'GEMINI_API_KEY in its .env' }
      return { state: 'unsure', why: "GEMINI_API_KEY is not set; a key may be in the system's keychain" }
    default:
      return { state: 'unsure', why: `it logs in by ${way}, which was not tested` }
  }
}

function wayOfEnvironment(env: LoginSources['env']): string | undefined {
  if (env.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal'
  if (env.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai'
  if (isGiven(env.GEMINI_API_KEY)) return 'gemini-api-key'
  return isGiven(env.GOOGLE_GEMINI_BASE_URL) ? 'gateway' : undefined
}
