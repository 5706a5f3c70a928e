import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setupsFor, type ToolSetup } from '../../../lab/environment.ts'
import { FAULT_NAMES, FAULTS, faultName, LabError } from '../../../lab/fault/table.ts'
import type { Lab, LabOptions } from '../../../lab/lab.ts'
import type { Chance } from '../../../lab/plan/plan.ts'
import { seededRandom } from '../../../lab/plan/random.ts'
import { type FaultStep, parseScript, stepToJson } from '../../../lab/plan/step.ts'
import { type LabRecord, recordToJson } from '../../../lab/record.ts'
import { startLab } from '../../../lab/start.ts'
import { present } from '../../failure/present.ts'
import { shellWord } from '../../option/shell-word.ts'
import { parseArguments, UsageError } from '../flag/arguments.ts'
import { countFlag, durationFlag } from '../flag/flags.ts'
import type { Terminal } from '../terminal.ts'

export const usage = `Usage: mulligan lab [--port N] [--fault NAME | --script FILE] [--probability P [--seed N]] [OPTIONS]

Starts a fake Anthropic, OpenAI and Gemini API on this machine that answers or fails on command, and prints how to point
agents and SDKs at it. Its web page shows requests and responses. Stop with Ctrl-C.

  --port N         port on 127.0.0.1; default: any free port
  --fault NAME     every model call fails this way
  --in-stream      with --fault: the error arrives as an event inside a 200 stream
  --script FILE    faults by count, as JSON: [{"after": 2, "fault": "overloaded", "times": 1}, …]; "-" reads stdin
  --probability P  share of calls that fail at random, 0 to 1
  --seed N         with --probability: the same seed gives the same faults; default: random
  --answer TEXT    the model's answer
  --wait D         wait that rate limits ask for, such as 30s; default 20s
  --list           list the faults and how Mulligan classifies them
  --json           one JSON object per line: first the lab's addresses, then every request

If MULLIGAN_LAB_TOKEN is set, callers must send it as their API key.
Exit codes: 0 stopped, 1 the port or the script cannot be used, 2 wrong usage.`

const options = {
  port: { type: 'string' },
  fault: { type: 'string' },
  'in-stream': { type: 'boolean' },
  script: { type: 'string' },
  probability: { type: 'string' },
  seed: { type: 'string' },
  answer: { type: 'string' },
  wait: { type: 'string' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArguments<typeof options>>['values']

export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(argv, { usage, options })
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  const { json = false } = values
  if (values.list) {
    terminal.stdout(json ? `${JSON.stringify(FAULT_NAMES.map(described))}\n` : `${list()}\n`)
    return 0
  }
  const stopped = stopSignal()
  const lab = await startLab(await labOptions(values, terminal))
  terminal.stdout(json ? `${JSON.stringify(listening(lab))}\n` : greeting(lab, chanceOf(values, terminal)))
  lab.onRequest(record => {
    terminal.stdout(json ? `${JSON.stringify(requestToJson(record))}\n` : `${lineOf(record)}\n`)
  })
  await stopped
  await lab.close()
  return 0
}

async function labOptions(values: Values, terminal: Terminal): Promise<LabOptions> {
  const token = terminal.env.MULLIGAN_LAB_TOKEN
  const chance = chanceOf(values, terminal)
  const waitMs = durationFlag('--wait', values.wait)
  return {
    port: portOf(values.port),
    ...present({ waitMs }),
    script: await scriptOf(values, terminal),
    ...(token === undefined || token === '' ? {} : { token }),
    ...present({ answer: values.answer }),
    ...(chance ? { chance: { probability: chance.probability, random: seededRandom(chance.seed) } } : {}),
  }
}

async function scriptOf(values: Values, terminal: Terminal): Promise<FaultStep[]> {
  const { fault, script } = values
  if (fault !== undefined && script !== undefined)
    throw new UsageError('use --fault or --script, not both; a script can name the fault')
  if (values['in-stream'] && fault === undefined) throw new UsageError('--in-stream goes with --fault')
  if (fault !== undefined)
    return [{ fault: known(fault), times: 'always', inStream: values['in-stream'] === true }]
  if (script === undefined) return []
  const text =
    script === '-' ? await terminal.readStdin() : readFileSync(resolve(terminal.cwd, script), 'utf8')
  try {
    return parseScript(text)
  } catch (error) {
    throw new LabError(`${script}: ${(error as Error).message}`)
  }
}

/** A mistyped fault is a usage error. */
function known(word: string): FaultStep['fault'] {
  try {
    return faultName(word)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function chanceOf(
  values: Values,
  terminal: Terminal,
): (Pick<Chance, 'probability'> & { seed: number }) | undefined {
  if (values.probability === undefined) {
    if (values.seed !== undefined) throw new UsageError('--seed goes with --probability')
    return undefined
  }
  const probability = Number(values.probability)
  if (values.probability.trim() === '' || !(probability >= 0 && probability <= 1))
    throw new UsageError(
      `--probability takes a number from 0 to 1, not ${JSON.stringify(values.probability)}`,
    )
  const seed = countFlag('--seed', values.seed) ?? terminal.now() % 1_000_000
  return { probability, seed }
}

function portOf(text: string | undefined): number {
  const port = countFlag('--port', text) ?? 0
  if (port > 65_535) throw new UsageError(`--port takes a number up to 65535, not ${port}`)
  return port
}

/** Resolves on SIGINT or SIGTERM. */
function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
}

function described(name: (typeof FAULT_NAMES)[number]) {
  const { summary, expected } = FAULTS[name]
  return { name, expected, summary }
}

function list(): string {
  const width = Math.max(...FAULT_NAMES.map(name => name.length))
  return FAULT_NAMES.map(described)
    .map(({ name, expected, summary }) => {
      const meaning = expected === null ? 'no failure' : `${expected.class}/${expected.kind}`
      return `${name.padEnd(width)}  ${meaning.padEnd(28)}  ${summary}`
    })
    .join('\n')
}

function listening(lab: Lab): Record<string, unknown> {
  return {
    type: 'listening',
    url: lab.url,
    openai_url: lab.openaiUrl,
    page_url: `${lab.url}/_lab`,
    faults: lab.steps.map(stepToJson),
    setups: setupsFor(lab.url, lab.token),
  }
}

function greeting(lab: Lab, chance: { probability: number; seed: number } | undefined): string {
  const faults = lab.steps.map(({ fault, times }) => (times === 'always' ? `${fault}, always` : fault))
  if (chance) faults.push(`random: ${chance.probability} of the calls, --seed ${chance.seed}`)
  const rows = [
    `  Anthropic, Gemini  ${lab.url}`,
    `  OpenAI             ${lab.openaiUrl}`,
    `  Page               ${lab.url}/_lab`,
    `  Faults             ${faults.length === 0 ? 'none; add some on the page or with POST /_lab/faults' : faults.join('; ')}`,
  ]
  const setups = setupsFor(lab.url, lab.token).map(setup => `${setup.tool}\n${shellOf(setup)}`)
  return `Mulligan lab\n${rows.join('\n')}\n\n${setups.join('\n\n')}\n\n`
}

/** Lines to paste into a shell. */
function shellOf({ env, command }: ToolSetup): string {
  const lines = Object.entries(env).map(([name, value]) => `  export ${name}=${shellWord(value)}`)
  return [...lines, ...(command === undefined ? [] : [`  ${command}`])].join('\n')
}

function lineOf(record: LabRecord): string {
  const { number, vendor, asked, model, streams, status, fault, sent, durationMs = 0 } = record
  const what =
    asked === 'other' ? `${record.method} ${record.path}` : `${asked} ${model}${streams ? ' stream' : ''}`
  const how = [status, fault, sent === 'whole' ? undefined : sent?.replace('_', ' ')]
  return `${String(number).padStart(4)}  ${vendor} ${what}  →  ${how.filter(part => part !== undefined).join(', ')}  (${durationMs} ms)`
}

/** A request without its bodies, which are on the page and at GET /_lab/requests. */
function requestToJson(record: LabRecord): Record<string, unknown> {
  const { request: _asked, answer: _answered, ...rest } = recordToJson(record)
  return { type: 'request', ...rest }
}
