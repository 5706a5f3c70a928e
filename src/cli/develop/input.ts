import { constants } from 'node:os'
import { type Found, findConfig } from '../../config/discover.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { SignatureMap } from '../../failure/signature-map.ts'
import { nearest } from '../../option/nearest.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { FileError, readText } from '../flag/file.ts'
import { instantFlag } from '../flag/flags.ts'
import type { Terminal } from '../terminal.ts'
import { parseHttpResponse } from './http-response.ts'
import { labelledSignatures } from './labelled-signatures.ts'

const PIPE_HINT = '; to classify text, pipe it in: echo "some text" | mulligan classify'

/** Flags of the commands that read a failure: classify, explain and decide. */
const OPTIONS = {
  provider: { type: 'string' },
  model: { type: 'string' },
  exit: { type: 'string' },
  signal: { type: 'string' },
  stdout: { type: 'string' },
  http: { type: 'boolean' },
  'timed-out': { type: 'boolean' },
  aborted: { type: 'boolean' },
  config: { type: 'string' },
  now: { type: 'string' },
  'time-zone': { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Help text for {@link OPTIONS}. */
export const INPUT_USAGE = `
FILE contains the failure: printed text, or JSON (an error, an HTTP response {status, headers, body}, a finished process
{exitCode, signal, stdout, stderr}). Without FILE, or with -, reads stdin.

  --provider P      the provider that failed; selects its signatures and its meaning of ambiguous codes
  --model M         the model that was called
  --exit N          exit code of the program; FILE is then its stderr
  --signal S        signal that killed the program, such as SIGKILL
  --stdout FILE     the program's stdout
  --http            FILE is an HTTP response as printed by curl -i
  --timed-out       your own timer ended the call
  --aborted         you aborted the call
  --config FILE     mulligan.toml, for error signatures (decide also uses [policy] and [queue]); default:
                    MULLIGAN_CONFIG, else the nearest one in this folder or above
  --now TIME        the time (RFC 3339) that "resets 3am" is relative to; default: now
  --time-zone Z     zone of times that state none; default: this machine's
  --json            JSON on stdout, one line per FILE; null means not a failure`

/** One failure to classify, with its context from the flags. */
export interface FailureInput {
  name: string
  input: unknown
  context: ClassifyContext
}

/** The failures that a command line names. */
export interface FailureInputs {
  inputs: FailureInput[]
  json: boolean
  /** The config file of this command; undefined if there is none. */
  configFile: string | undefined
  /** Values of the command's own flags. */
  own: Record<string, string | boolean | undefined>
}

/** A command's own flags, besides those about its input. */
export type OwnOptions = Record<string, { type: 'string' | 'boolean' }>

/** Reads flags, files and stdin. Throws a UsageError that names the fix. */
export async function readFailureInputs(
  argv: readonly string[],
  usage: string,
  terminal: Terminal,
  ownOptions: OwnOptions = {},
): Promise<FailureInputs> {
  const parsed = parseArguments(argv, { usage, options: { ...ownOptions, ...OPTIONS } })
  const values = parsed.values as ReturnType<typeof parseArguments<typeof OPTIONS>>['values']
  const { positionals } = parsed
  const files = positionals.length > 0 ? positionals : ['-']
  if (files.filter(file => file === '-').length > 1) throw new UsageError('- (stdin) can be used only once')
  if (values.stdout === '-') throw new UsageError('--stdout takes a FILE; stdin is already read as stderr')
  const exitCode = values.exit === undefined ? undefined : wholeNumber('--exit', values.exit)
  const signal = values.signal === undefined ? undefined : signalName(values.signal)
  const stdout = values.stdout === undefined ? undefined : readText(values.stdout, terminal)
  const isProcess = exitCode !== undefined || signal !== undefined || stdout !== undefined
  if (isProcess && values.http)
    throw new UsageError(
      'use --http for an HTTP response, or --exit, --signal and --stdout for a program, not both',
    )
  const found = findConfig({ flag: values.config, env: terminal.env, cwd: terminal.cwd })
  const context = await contextOf(values, found, terminal)
  const inputs: FailureInput[] = []
  for (const file of files) {
    const text = file === '-' ? await readStdin(terminal) : readText(file, terminal, PIPE_HINT)
    // Only a killed or aborted program may have printed nothing.
    if (text.trim() === '' && !isProcess && !values.aborted && !values['timed-out']) throw nothingIn(file)
    const input = isProcess
      ? { exitCode: exitCode ?? null, signal: signal ?? null, stdout: stdout ?? '', stderr: text }
      : values.http
        ? httpAnswer(text, file)
        : asPrinted(text)
    inputs.push({ name: file === '-' ? 'stdin' : file, input, context })
  }
  context.signatures = await labelledSignatures(
    inputs.map(({ input }) => input),
    context,
    { flag: values.config, isThere: found !== undefined },
    terminal,
  )
  const own = Object.fromEntries(
    Object.keys(ownOptions).map(name => [name, (parsed.values as FailureInputs['own'])[name]]),
  )
  return { inputs, configFile: found?.file, json: values.json === true, own }
}

interface ContextFlags {
  provider?: string | undefined
  model?: string | undefined
  'timed-out'?: boolean | undefined
  aborted?: boolean | undefined
  now?: string | undefined
  'time-zone'?: string | undefined
}

async function contextOf(
  values: ContextFlags,
  found: Found | undefined,
  terminal: Terminal,
): Promise<ClassifyContext> {
  const named = values['time-zone'] === undefined ? undefined : zone(values['time-zone'])
  return {
    provider: values.provider,
    model: values.model,
    now: instantFlag('--now', values.now) ?? terminal.now(),
    // A getter, because finding the system's zone is slow and few texts need it.
    get timeZone() {
      return named ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    },
    // Loaded only if there is a config, because the matcher for operators' patterns is large.
    signatures: found && (await signaturesIn(found, terminal)),
    own: { aborted: values.aborted, timedOut: values['timed-out'] },
  }
}

async function signaturesIn({ file, by }: Found, { env }: Terminal): Promise<SignatureMap> {
  const { loadSignatures } = await import('../../config/signatures.ts')
  if (by !== 'search') return loadSignatures(file)
  const { TrustRecord } = await import('../../config/trust-record.ts')
  return loadSignatures(file, sha256 => new TrustRecord(env).has(file, sha256))
}

/** Reads stdin. On a terminal, first says that it is waiting for input. */
async function readStdin(terminal: Terminal): Promise<string> {
  if (terminal.isTerminal)
    terminal.stderr('Reading from the terminal: type or paste the failure, then press Ctrl-D.\n')
  return await terminal.readStdin()
}

function nothingIn(file: string): Error {
  return file === '-'
    ? new UsageError('nothing to classify: stdin is empty; pipe in the failure, or name a FILE')
    : new FileError(`nothing to classify: ${file} is empty`)
}

/** Parses JSON, wraps an agent's event lines as process output, and returns any other text unchanged. */
function asPrinted(text: string): unknown {
  return isEvents(text) ? { exitCode: null, signal: null, stdout: text, stderr: '' } : orJson(text)
}

function isEvents(text: string): boolean {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.length < 2) return false
  const events = lines.filter(line => /^\s*\{.{0,200}"(?:type|role|kind)":/.test(line))
  return events.length > lines.length / 2
}

/** JSON if the whole text is JSON, else the text itself. */
function orJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function httpAnswer(text: string, file: string): unknown {
  const json = orJson(text)
  if (typeof json === 'object') return json
  const answer = parseHttpResponse(text)
  if (!answer)
    throw new UsageError(
      `${file === '-' ? 'stdin' : file} does not start with a status line such as "HTTP/1.1 429 Too Many Requests"`,
    )
  return answer
}

function wholeNumber(flag: string, value: string): number {
  if (!/^-?\d{1,10}$/.test(value))
    throw new UsageError(`${flag} takes a whole number, not ${JSON.stringify(value)}`)
  return Number(value)
}

function signalName(value: string): string {
  const name = value.toUpperCase().replace(/^(?!SIG)/, 'SIG')
  if (Object.hasOwn(constants.signals, name)) return name
  const guess = nearest(name, Object.keys(constants.signals))
  throw new UsageError(
    `--signal takes a signal name such as SIGTERM, not ${JSON.stringify(value)}${guess ? `; did you mean ${guess}?` : ''}`,
  )
}

function zone(value: string): string {
  try {
    return Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    throw new UsageError(`--time-zone takes a zone such as Europe/Berlin, not ${JSON.stringify(value)}`)
  }
}
