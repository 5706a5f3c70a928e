import { z } from 'zod'
import { present } from '../../../../failure/present.ts'
import { proposalProblem, proposeLabel } from '../../../../notice/label-proposal.ts'
import { object } from '../../../../shape/value.ts'
import { realTime } from '../../../../time/time.ts'
import { detailsToJson, teachingToJson, unknownToJson } from '../../../../unknown/unknown-json.ts'
import { Unknowns } from '../../../../unknown/unknowns.ts'
import { Problem } from '../../../http/problem.ts'
import { type teaching, teachingOf } from '../../../http/unknown-schemas.ts'
import { name } from '../../../http/value-schemas.ts'
import { briefTeachingShape } from '../brief-schemas.ts'
import { type Rights, type ToolAnswer, type ToolCall, type ToolHost, tool } from '../tool.ts'

const DEFAULT_LIMIT = 10

const lookShape = {
  fingerprint: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('For show and label: the failure, in full or by enough of its beginning.'),
  provider: name.optional().describe('For list: of this provider.'),
  all: z.boolean().optional().describe('For list: labelled ones too. Default only those without a label.'),
  limit: z.int().min(1).max(50).optional().describe(`For list: page size. Default ${DEFAULT_LIMIT}.`),
  cursor: z.string().max(500).optional().describe('For list: `next` of the page before.'),
}

const labelShape = {
  ...briefTeachingShape,
  why: z.string().min(1).max(1000).optional().describe('For label: why, for people.'),
}

const output = z.looseObject({
  unknowns: z.array(object).optional(),
  next: z.string().optional(),
  fingerprint: z.string().optional(),
  given: z.boolean().optional().describe('Whether the label is in force.'),
  proposed: z.boolean().optional().describe('People were told of it, who decide.'),
  next_step: z.string().optional(),
})

const LIST =
  'Failures that no rule and no label knows: list them, or show one with samples, the proposed signature and similar failures that have a label.'

/** Failures that no rule or label matches. */
export function unknowns({ readOnly, allowLabel, asPerson }: Rights) {
  const gives = allowLabel || asPerson
  const actions = readOnly ? (['list', 'show'] as const) : (['list', 'show', 'label'] as const)
  const input = z.strictObject({
    action: z.enum(actions).describe('Default list.').optional(),
    ...lookShape,
    ...(readOnly ? {} : labelShape),
  })
  const label = gives
    ? 'With label you say what it is: what waits for it goes on, and the next one is recognised.'
    : 'With label you propose what it is: a person decides.'
  return tool({
    name: 'unknowns',
    title: 'Unknown failures',
    description: readOnly ? LIST : `${LIST} ${label}`,
    annotations: readOnly
      ? { readOnlyHint: true, openWorldHint: false }
      : { readOnlyHint: false, destructiveHint: gives, idempotentHint: true, openWorldHint: false },
    input,
    output,
    run(given, call, host) {
      const { action = 'list', ...rest } = given
      checkNames(action, rest)
      if (action === 'list') return list(rest as Look, host)
      return action === 'show' ? show(rest as Look, host) : teach(rest as Label, gives, call, host)
    },
  })
}

interface Look {
  fingerprint?: string
  provider?: string
  all?: boolean
  limit?: number
  cursor?: string
}

type Label = { fingerprint?: string; why?: string } & Partial<z.output<typeof teaching>>

const TAKES: Record<string, readonly string[]> = {
  list: ['provider', 'all', 'limit', 'cursor'],
  show: ['fingerprint'],
  label: ['fingerprint', ...Object.keys(labelShape)],
}

function checkNames(action: string, given: object): void {
  const other = Object.keys(given).find(key => !TAKES[action]?.includes(key))
  if (other !== undefined)
    throw new Problem(400, 'invalid', `${action} takes no ${other}; it takes ${TAKES[action]?.join(', ')}`)
}

async function list(
  { provider, all = false, limit = DEFAULT_LIMIT, cursor }: Look,
  { facilities: { ledger } }: ToolHost,
): Promise<ToolAnswer> {
  const page = await new Unknowns(ledger).list(
    { ...(all ? {} : { labelled: false }), ...present({ provider }) },
    { limit, ...present({ cursor }) },
  )
  const next = page.next === undefined ? {} : { next: page.next }
  return { json: { unknowns: page.items.map(unknownToJson), ...next } }
}

async function show({ fingerprint }: Look, { facilities: { ledger } }: ToolHost): Promise<ToolAnswer> {
  const all = new Unknowns(ledger)
  return { json: { ...detailsToJson(await all.show(await all.find(needed('show', fingerprint)))) } }
}

async function teach(
  { fingerprint, why, ...said }: Label,
  gives: boolean,
  { client, session, signal }: ToolCall,
  { facilities: { ledger, time } }: ToolHost,
): Promise<ToolAnswer> {
  // Trying patterns takes real time, whatever the clock of the host says.
  const all = new Unknowns(ledger, { time: realTime, signal })
  const found = await all.find(needed('label', fingerprint))
  if (said.class === undefined) throw new Problem(400, 'invalid', 'label needs a class')
  const taught = teachingOf({ ...said, class: said.class })
  const who = session === undefined ? client : `${client} (${session})`
  if (gives) {
    const { ids, ...shown } = await all.label(found, { ...taught, who, why })
    return {
      json: {
        ...teachingToJson(shown, ids),
        next_step: 'What waited for it continues automatically, as the label says.',
      },
    }
  }
  const proposal = { fingerprint: found, teaching: taught, who, by: session ?? client, why }
  // Before the backtest, which costs more than everything else here.
  const problem = await proposalProblem({ ledger, time }, proposal)
  if (problem !== undefined) throw new Problem(429, 'proposed', problem)
  const seen = await all.preview(found, taught)
  if (seen.backtest.flips > 0)
    throw new Problem(
      409,
      'flips',
      `this label would make ${seen.backtest.flips} right classifications wrong; propose a narrower pattern, or pattern false`,
    )
  const { id } = await proposeLabel({ ledger, time }, proposal)
  return {
    json: {
      ...teachingToJson(seen),
      proposed: true,
      notice: id,
      next_step: 'A person was notified and decides. Continue with other work.',
    },
  }
}

function needed(action: string, fingerprint: string | undefined): string {
  if (fingerprint !== undefined) return fingerprint
  throw new Problem(400, 'invalid', `${action} needs a fingerprint; list shows them`)
}
