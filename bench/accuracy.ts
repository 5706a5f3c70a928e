import { readFileSync } from 'node:fs'
import { type CorpusEntry, inputOf, parseCorpus } from '../src/cli/develop/corpus.ts'
import { decisionOf, predictionOf } from '../src/cli/develop/grade.ts'
import { classify } from '../src/failure/classify.ts'
import { PEERS, type PeerInput } from './peers.ts'

// How often each peer decides retry or stop rightly on labelled failures: npm run bench -- accuracy FILE.jsonl…

const files = process.argv.slice(3)
if (files.length === 0) {
  process.stderr.write('usage: npm run bench -- accuracy FILE.jsonl…\n')
  process.exit(2)
}
const entries = files.flatMap(file => parseCorpus(readFileSync(file, 'utf8'), file))
const decided = entries.filter(entry => decisionOf(entry.label.class, entry.label.kind) !== undefined)

interface Score {
  right: number
  falseRetries: number
  unable: number
}

async function scoreOf(
  decide: (entry: CorpusEntry) => boolean | undefined | Promise<boolean | undefined>,
): Promise<Score> {
  const score = { right: 0, falseRetries: 0, unable: 0 }
  for (const entry of decided) {
    const wanted = decisionOf(entry.label.class, entry.label.kind)
    const answer = await decide(entry)
    if (answer === undefined) score.unable++
    // A peer that cannot judge stops.
    const decision = answer === true ? 'retry' : 'stop'
    if (decision === wanted) score.right++
    else if (decision === 'retry') score.falseRetries++
  }
  return score
}

/** The failure as an Error with all the fields that the entry has. */
function peerInputOf(entry: CorpusEntry): PeerInput {
  const [input] = inputOf(entry, { withProvider: true })
  if (input instanceof Error) {
    const fields = input as PeerInput['error'] & {
      statusCode?: number
      responseHeaders?: Record<string, string>
      responseBody?: string
      error?: unknown
    }
    const status = fields.status ?? fields.statusCode
    return {
      error: input,
      status: typeof status === 'number' ? status : undefined,
      headers: fields.headers ?? fields.responseHeaders ?? {},
      body: fields.responseBody ?? JSON.stringify(fields.error ?? ''),
    }
  }
  const fields = (typeof input === 'object' && input !== null ? input : {}) as {
    status?: number
    headers?: Record<string, string>
    body?: unknown
    stdout?: string
    stderr?: string
  }
  const body = typeof fields.body === 'string' ? fields.body : JSON.stringify(fields.body ?? input)
  const text = [fields.stderr, fields.stdout].filter(Boolean).join('\n') || body
  const status = typeof fields.status === 'number' ? fields.status : undefined
  return {
    error: Object.assign(
      new Error(text),
      status === undefined ? {} : { status, headers: fields.headers ?? {} },
    ),
    status,
    headers: fields.headers ?? {},
    body,
  }
}

const stops = decided.filter(entry => decisionOf(entry.label.class, entry.label.kind) === 'stop').length
const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)} %`
process.stdout.write(
  `${entries.length} entries, ${decided.length} with a decision, ${stops} of them stop.\n\n| | decision right | false retry | cannot judge |\n|---|---|---|---|\n`,
)
const ours = (entry: CorpusEntry) => {
  const [input, context] = inputOf(entry, { withProvider: true })
  const { class: cls, kind } = predictionOf(entry.id, classify(input, context), context.now)
  return decisionOf(cls, kind) === 'retry'
}
const subjects: [string, (entry: CorpusEntry) => boolean | undefined | Promise<boolean | undefined>][] = [
  ['**mulligan**', ours],
  ...Object.entries(PEERS).map(
    ([name, peer]) =>
      [name, (entry: CorpusEntry) => peer(peerInputOf(entry))] as [
        string,
        (entry: CorpusEntry) => Promise<boolean | undefined>,
      ],
  ),
  ['always retry', () => true],
  ['never retry', () => false],
]
for (const [name, decide] of subjects) {
  const { right, falseRetries, unable } = await scoreOf(decide)
  process.stdout.write(
    `| ${name} | ${percent(right, decided.length)} | ${percent(falseRetries, stops)} | ${percent(unable, decided.length)} |\n`,
  )
}
