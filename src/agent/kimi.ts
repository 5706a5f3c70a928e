import { homedir } from 'node:os'
import { join } from 'node:path'
import { kimi as profile } from '../failure/cli/kimi.ts'
import { bearer, keyIn, under } from './asks.ts'
import {
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
import { amountIn, type Fields, objectIn, textIn } from './fields.ts'
import { isGiven, jsonFile, tomlFile } from './login-file.ts'
import { onlySession, type SessionSearch } from './session-search.ts'
import { type AgentSettings, SELF_RETRIES_DEFAULT } from './settings.ts'
import { answerEnd, endOf, type SideRecord } from './side-record.ts'
import type { Environment } from './variables.ts'

/** Kimi Code, the version written for Node. It takes a prompt only as an argument. */
export const kimi: Cli = {
  name: 'kimi',
  profile,
  binary: 'kimi',
  promptBy: 'argument',
  tellsCost: false,
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
    KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: String(selfRetries + 1),
    // The former name of the setting, which it complains about.
    KIMI_LOOP_MAX_RETRIES_PER_STEP: undefined,
    KIMI_CODE_INFINITE_RETRY: undefined,
  }),
  findSession,
  sideRecord: { path: recordOf, mark: /"step\.(?:begin|end)"/, read: recordedEnd },
  connection: { trusts: 'node', asks: asksOf },
  login: async sources => loginOf(sources),
  loginPlace: {
    home: ({ KIMI_CODE_HOME: given }, user) => given || join(user, '.kimi-code'),
    files: ['config.toml'],
    variables: [],
  },
}

/** Its list of sessions grows forever; the end is enough. */
const END_OF_INDEX = 262_144

const homeOf = (env: Environment) => env.KIMI_CODE_HOME || join(env.HOME || homedir(), '.kimi-code')

/** Its list of sessions: id, working folder, session folder. */
function listedSessions(env: Environment): Fields[] {
  return endOf(join(homeOf(env), 'session_index.jsonl'), END_OF_INDEX)
    .split('\n')
    .map(jsonFile)
}

/** It reports its session only at the end, so the session of a killed run is found by its folder. */
function findSession(search: SessionSearch): string | undefined {
  const sessions = listedSessions(search.env).map(({ sessionId, workDir, sessionDir }) => ({
    id: textIn(sessionId),
    cwd: textIn(workDir),
    createdAtMs: () => amountIn(jsonFile(endOf(join(textIn(sessionDir) ?? '', 'state.json'))).createdAt),
  }))
  return onlySession(search, sessions)
}

function recordOf(id: string, env: Environment): string | undefined {
  const { sessionDir } = listedSessions(env).find(({ sessionId }) => sessionId === id) ?? {}
  const folder = textIn(sessionDir)
  return folder === undefined ? undefined : join(folder, 'agents', 'main', 'wire.jsonl')
}

/** A step in its session file. It reports a cut answer as complete; only the vendor's finish reason is then missing. */
function recordedEnd({ event, time }: Fields): ReturnType<SideRecord['read']> {
  const { type, finishReason, providerFinishReason, rawFinishReason } = objectIn(event)
  const atMs = amountIn(time)
  if (type !== 'step.end' || finishReason === 'error') return { end: undefined, atMs }
  const isUnfinished =
    finishReason === 'end_turn' && providerFinishReason === undefined && rawFinishReason === undefined
  return { end: isUnfinished ? 'unfinished' : answerEnd(finishReason), atMs }
}

/** The provider that serves its model. */
function asksOf({ env, home, readFile }: OwnFiles, { model }: AgentSettings): Asks | undefined {
  const config = tomlFile(readFile(join(env.KIMI_CODE_HOME || join(home, '.kimi-code'), 'config.toml'))) ?? {}
  const { provider } = objectIn(objectIn(config.models)[model ?? textIn(config.default_model) ?? ''])
  const { base_url: base, api_key: key } = objectIn(objectIn(config.providers)[textIn(provider) ?? ''])
  const url = textIn(base)
  return url === undefined
    ? undefined
    : { url: under(url, 'chat/completions'), key: keyIn(bearer(textIn(key))) }
}

/** Its config contains its model and the provider that serves it; logging in writes both. */
function loginOf({ env, home, readFile, settings }: LoginSources): Login {
  const file = readFile(join(env.KIMI_CODE_HOME || join(home, '.kimi-code'), 'config.toml'))
  if (file === undefined) return { state: 'missing' }
  const config = tomlFile(file)
  if (!config) return { state: 'missing', why: 'its config.toml cannot be read' }
  const name = settings.model ?? textIn(config.default_model)
  if (name === undefined) return { state: 'missing', why: 'its config names no default_model' }
  const models = objectIn(config.models)
  if (!Object.hasOwn(models, name)) return { state: 'missing', why: `its config has no model ${name}` }
  const id = textIn(objectIn(models[name]).provider)
  const providers = objectIn(config.providers)
  if (id === undefined || !Object.hasOwn(providers, id))
    return { state: 'missing', why: `its config has no provider ${id ?? ''} for its model ${name}` }
  return isGiven(objectIn(providers[id]).api_key)
    ? { state: 'present', by: `the key of ${id} in its config` }
    : { state: 'unsure', why: `provider ${id} of its config has no key, but may log in another way` }
}
