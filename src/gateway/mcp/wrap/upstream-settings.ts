import { basename } from 'node:path'
import type { RetryPolicy } from '../../../verdict/retry-policy.ts'
import type { HttpTarget } from './http-link.ts'
import type { StdioTarget } from './stdio-link.ts'

/** How long calls may take, and when they may be sent again. */
export interface ToolSettings {
  /** Whether a call may be sent again. Default what the annotations of the tool say. */
  retry?: RetryPolicy
  /** A refusal by the tool itself proves that nothing happened. Default false. */
  atomic?: boolean
  /** Longest time of one call, in milliseconds. Default that of the upstream. */
  timeoutMs?: number
  /** Longest silence while a call runs, in milliseconds: progress counts as a sign of life. Default that of the upstream. */
  idleTimeoutMs?: number
  /** How it is asked whether the effect of a call is there; for `verify_first`. */
  verify?: ToolVerification
}

/** A call of another tool of the same server that shows whether an effect is there. */
export interface ToolVerification {
  /** A tool that changes nothing. */
  tool: string
  /** Its arguments; `{name}` in a text stands for that argument of the call in question. */
  arguments: Readonly<Record<string, unknown>>
  /** The effect is there if the answer contains this; `{name}` as above. Default: if the answer is no error. */
  contains?: string
}

/** One MCP server behind Mulligan. */
export interface UpstreamSettings {
  /** For people, and the prefix of its tools beside others. */
  name: string
  /** Names of its tools and prompts begin with this and an underscore. Default none for a single server, else its name. */
  prefix?: string
  target: ({ by: 'stdio' } & StdioTarget) | ({ by: 'http' } & HttpTarget)
  /** Variables of its environment that its config sets. Default none. */
  ownEnv?: Readonly<Record<string, string>>
  /** Whose queue, cache and health it uses, in place of what is found out from command and credentials. Default none. */
  identity?: string
  /** Time until the server must have said hello, in milliseconds. Default 30 s. */
  startTimeoutMs: number
  /** Longest time of one call, in milliseconds. Default 1 h. */
  timeoutMs: number
  /** Longest silence while a call runs, in milliseconds. Default 5 min. */
  idleTimeoutMs: number
  /** Calls that run at the same time, in this process. Default no limit. */
  concurrency?: number
  /** By the name of the tool, without a prefix. */
  tools: Readonly<Record<string, ToolSettings>>
}

export const START_TIMEOUT_DEFAULT_MS = 30_000
export const TIMEOUT_DEFAULT_MS = 3_600_000
export const IDLE_TIMEOUT_DEFAULT_MS = 300_000

/** Programs that only start others: the server is named by what they start. */
const STARTERS = new Set([
  'npx',
  'bunx',
  'uvx',
  'pipx',
  'node',
  'bun',
  'deno',
  'python',
  'python3',
  'docker',
  'tsx',
])
/** Names of files and folders that every package has. */
const GENERIC = new Set(['index', 'main', 'server', 'cli', 'dist', 'build', 'src', 'bin', 'lib', 'out', '..'])
const VERBS = new Set(['run', 'exec', 'x', 'dlx', 'tool'])

/** What a server is called if nobody gave it a name: its package, its file, or its host. */
export function nameOfTarget(target: { argv: readonly string[] } | { url: string }): string {
  if ('url' in target) return tidy(URL.parse(target.url)?.hostname ?? target.url)
  const [program = '', ...args] = target.argv
  if (!STARTERS.has(basename(program))) return tidy(basename(program))
  const first = args.find(arg => !arg.startsWith('-') && !VERBS.has(arg))
  return tidy(first === undefined ? basename(program) : packageOf(first))
}

function packageOf(word: string): string {
  if (/^@[\w.-]+\/[\w.-]+/.test(word))
    return word
      .replace(/(?<=.)@.*$/, '')
      .split('/')
      .join('-')
      .slice(1)
  const [last = word, ...folders] = word
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .reverse()
  const name = last.replace(/(?<=.)@.*$/, '').replace(/\.(?:[cm]?[jt]s|py)$/, '')
  // "index" says nothing: the folder of the package does.
  const telling = GENERIC.has(name) ? folders.find(folder => !GENERIC.has(folder)) : undefined
  return telling ?? name
}

function tidy(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'server'
}
