import { z } from 'zod'
import { ConfigError } from '../../../config/error.ts'
import { present } from '../../../failure/present.ts'
import { boundedBacktest } from '../../../unknown/bounded-backtest.ts'
import { operatorOf } from '../../../unknown/operator.ts'
import { recordedFailures } from '../../../unknown/recorded-failures.ts'
import { patternsIn, signaturesIn } from '../../../unknown/signatures-in.ts'
import { backtestToJson, labelToJson } from '../../../unknown/unknown-json.ts'
import { backtest, label } from '../../../unknown/unknown-shape.ts'
import { Unknowns } from '../../../unknown/unknowns.ts'
import { Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { who } from '../unknown-schemas.ts'

/** Largest body with a signature pack, in bytes. A pack itself has at most 1 MiB. */
const LARGEST_BODY = 4 * 1_048_576
/** A backtest's is smaller: whoever may read may ask for one. */
const LARGEST_BACKTEST = 262_144

const toml = z.string().max(1_048_576)

const list = route({
  method: 'get',
  path: '/v1/labels',
  id: 'listLabels',
  summary: 'Labels, oldest first',
  demand: 'look',
  query: z.strictObject({
    fingerprint: z.string().min(1).max(100).optional().describe('Of this fingerprint.'),
    withdrawn: z.boolean().optional().describe('Withdrawn labels instead of active ones.'),
  }),
  answers: { 200: { description: 'Labels', schema: z.object({ labels: z.array(label) }) } },
  async run({ query: { fingerprint, withdrawn = false } }, { ledger }) {
    const labels = await ledger.labels({ withdrawn, ...present({ fingerprint }) })
    return { json: { labels: labels.map(labelToJson) } }
  },
})

const withdraw = route({
  method: 'post',
  path: '/v1/labels/{id}/withdraw',
  id: 'withdrawLabel',
  summary:
    'Withdraw a label by its id, or all labels of a fingerprint; operations it released are not parked again',
  demand: 'change',
  params: z.strictObject({
    id: z.string().min(1).max(100).describe('Id of a label, or a full fingerprint.'),
  }),
  body: z.strictObject({ who }),
  bodyOptional: true,
  answers: { 200: { description: 'The withdrawn labels', schema: z.object({ withdrawn: z.array(label) }) } },
  async run({ params: { id }, body }, { ledger, env }) {
    const labels = await new Unknowns(ledger).withdraw(id, body.who ?? operatorOf(env))
    return { json: { withdrawn: labels.map(labelToJson) } }
  },
})

const exportPack = route({
  method: 'get',
  path: '/v1/labels/pack',
  id: 'exportLabels',
  summary: 'All active labels as a signature pack (TOML)',
  demand: 'look',
  answers: { 200: { description: 'The pack', schema: z.object({ pack: z.string() }) } },
  run: async (_call, { ledger }) => ({ json: { pack: await new Unknowns(ledger).exportPack() } }),
})

const importPack = route({
  method: 'post',
  path: '/v1/labels/pack',
  id: 'importLabels',
  summary: 'Import the labels of a signature pack, after its backtest',
  demand: 'change',
  body: z.strictObject({
    pack: toml.describe('TOML with [[signature]] tables.'),
    name: z.string().min(1).max(200).optional().describe('Name of the pack in messages. Default pack.'),
    who,
    allow: z.boolean().optional().describe('Accept effect "none" and waits over 24 h. Default false.'),
    force: z
      .boolean()
      .optional()
      .describe('Import even if right classifications become wrong. Default false.'),
    dry_run: z.boolean().optional().describe('Only run the backtest. Default false.'),
  }),
  maxBodyBytes: LARGEST_BODY,
  answers: {
    200: {
      description: 'The imported labels, or the effect they would have',
      schema: z.object({
        taken: z.boolean(),
        labels: z.array(z.string()).optional().describe('Ids of the imported labels.'),
        backtest,
      }),
    },
  },
  async run({ body, signal }, { ledger, env, time }) {
    const { pack, name = 'pack', allow, force, dry_run: dryRun = false } = body
    const by = `${body.who ?? operatorOf(env)}, from ${name}`
    const options = { who: by, allow, force, dryRun }
    const unknowns = new Unknowns(ledger, { time, signal })
    const found = await inTurn(signal, () =>
      orMistakes('pack', () => unknowns.importPack(pack, name, options)),
    )
    const labels = dryRun ? {} : { labels: found.ids }
    return { json: { taken: !dryRun, ...labels, backtest: backtestToJson(found.backtest) } }
  },
})

/** Compiling a pattern takes some milliseconds: most of them at once, and their characters together. */
const MOST_PATTERNS = 100
const MOST_CHARACTERS = 20_000
/** Most backtests that wait while another one runs. */
const MOST_WAITING = 4
let waiting = 0
let turn: Promise<unknown> = Promise.resolve()

/** One backtest at a time: each keeps its compiled patterns in memory. */
async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (waiting > MOST_WAITING)
    throw new Problem(503, 'busy', 'other backtests are running; try again in a few seconds')
  waiting += 1
  const mine = turn.then(work).finally(() => {
    waiting -= 1
  })
  turn = mine.catch(() => {})
  return mine.catch(error => {
    if (!signal.aborted) throw error
    throw new Problem(503, 'cancelled', 'the backtest was cancelled: its client is gone, or the daemon stops')
  })
}

const trySignatures = route({
  method: 'post',
  path: '/v1/backtest',
  id: 'backtest',
  summary: 'Try signatures on the failures in the ledger and on common ones; changes nothing',
  demand: 'look',
  body: z.strictObject({
    signatures: toml.describe('TOML with [[signature]] tables or error_signatures, as in a config.'),
  }),
  maxBodyBytes: LARGEST_BACKTEST,
  answers: { 200: { description: 'What would change', schema: backtest } },
  async run({ body: { signatures: text }, signal }, { ledger, time }) {
    const { count, characters } = await orMistakes('signatures', async () => patternsIn(text, 'signatures'))
    if (count > MOST_PATTERNS || characters > MOST_CHARACTERS)
      throw new Problem(
        422,
        'invalid',
        `body.signatures: has ${count} patterns of ${characters} characters; at most ${MOST_PATTERNS} of ${MOST_CHARACTERS} characters are tried at once. For more: mulligan backtest`,
      )
    // Without any pattern there is nothing to compile, but there may be mistakes.
    if (count === 0) await orMistakes('signatures', async () => signaturesIn(text, 'signatures'))
    if (count === 0)
      throw new Problem(
        422,
        'invalid',
        'body.signatures: contains no signatures; add a [[signature]] with pattern and class',
      )
    const written = { form: 'config', text, file: 'signatures' } as const
    const { report } = await inTurn(signal, () =>
      orMistakes('signatures', () => boundedBacktest(written, recordedFailures(ledger), { time, signal })),
    )
    return { json: backtestToJson(report) }
  },
})

/** Turns mistakes in the TOML of a body into a {@link Problem}, each with its line. */
async function orMistakes<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const mistakes = error.problems.map(({ line, column, message }) => ({
      at: line === undefined ? `body.${field}` : `body.${field}:${line}:${column}`,
      message,
    }))
    throw new Problem(422, 'invalid', `${mistakes[0]?.at}: ${mistakes[0]?.message}`, { mistakes })
  }
}

/** Labels, signature packs and backtests. */
export const labelRoutes: readonly Route[] = [list, exportPack, importPack, withdraw, trySignatures]
