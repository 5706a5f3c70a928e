import { homedir } from 'node:os'
import { join } from 'node:path'
import { bare, type Cli, repeated, session, value, words } from './cli.ts'
import { readAttempts } from './gemini.ts'
import type { Reading } from './reading.ts'
import { readResultStream } from './result-stream.ts'

/** Its notice that it waits out a limit, for up to five minutes at a time. */
const RETRYING = /^Retrying in (\d+)s \(attempt \d+\/\d+\)(?:: (.*))?$/

const LOG_LINE = /^\d{4}-\d\d-\d\dT[\d:.]+Z \[\w+\] /
/** An entry about a try that failed: what it does next, an object over many lines, then the error. */
const LOGGED_TRY = /^\S+ \[\w+\] \[RETRY\] Attempt \d+ failed(?: with status (\d{3}))?.*Retrying/
const LOGGED_ERROR = /^\} \w*(?:Error|Exception): (.*)$/

function readLog(line: string, reading: Reading): void {
  const error = LOGGED_ERROR.exec(line)?.[1]
  const isNext = LOG_LINE.test(line)
  if (reading.notice !== undefined && (isNext || error !== undefined)) {
    loggedTry(reading.notice, error, reading)
    reading.notice = undefined
  }
  if (LOGGED_TRY.test(line)) reading.notice = line
}

function loggedTry(entry: string, error: string | undefined, reading: Reading): void {
  const status = LOGGED_TRY.exec(entry)?.[1]
  const [, ms] = /explicit delay of (\d+)ms/.exec(entry) ?? []
  const [, seconds] = /Retrying with backoff in (\d+)s/.exec(entry) ?? []
  const delayMs = ms === undefined ? Number(seconds) * 1_000 : Number(ms)
  reading.selfRetried({
    cause: {
      message: error ?? entry,
      ...(status === undefined ? {} : { status: Number(status) }),
      // The vendor's own word, which the sentence need not repeat.
      ...(ms === undefined ? {} : { headers: { 'retry-after-ms': ms } }),
    },
    ...(Number.isFinite(delayMs) ? { delayMs } : {}),
  })
}

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
  // It retries in silence, for hours if it is told to; its log tells of each try.
  log: {
    variable: 'QWEN_DEBUG_LOG_FILE',
    path: (sessionId, env) =>
      join(
        env.QWEN_RUNTIME_DIR || env.QWEN_HOME || join(env.HOME || homedir(), '.qwen'),
        'debug',
        `${sessionId}.txt`,
      ),
    read: readLog,
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
