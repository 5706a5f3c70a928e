import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { redact } from '../../../failure/redact.ts'
import { groupToJson, resultToJson } from '../../../workflow/group-json.ts'
import { group, memberResult, startableGroup } from '../../../workflow/group-shape.ts'
import { Groups } from '../../../workflow/groups.ts'
import { startPromptGroup } from '../../../workflow/prompt-group.ts'
import { type Facilities, type InForce, inForce } from '../facilities.ts'
import { keyOf } from '../idempotency-key.ts'
import { notFound, Problem } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { name } from '../value-schemas.ts'
import { authorOf, byOf, who } from '../who-schema.ts'

const path = z.strictObject({ name })

const list = route({
  method: 'get',
  path: '/v1/groups',
  id: 'listGroups',
  summary: 'Groups of agent runs, newest first',
  demand: 'look',
  answers: {
    200: {
      description: 'All groups',
      schema: z.object({
        groups: z.array(group),
        startable: z.array(startableGroup).describe('Groups of the config that can be started.'),
      }),
    },
  },
  async run(_call, facilities) {
    const groups = groupsOf(facilities)
    const views = []
    for (const each of await groups.names()) views.push(await groups.show(each))
    const startable = startableIn(inForce(facilities)).map(({ name, prompts, maxRunning, maxCostUsd }) => ({
      name,
      prompts: prompts.map(prompt => redact(prompt)),
      ...present({ max_running: maxRunning, max_cost_usd: maxCostUsd }),
    }))
    return { json: { groups: views.map(groupToJson), startable } }
  },
})

const get = route({
  method: 'get',
  path: '/v1/groups/{name}',
  id: 'getGroup',
  summary: 'One group: the state of each run, what it waits for, cost so far, expected end',
  demand: 'look',
  params: path,
  answers: { 200: { description: 'The group', schema: group } },
  async run({ params }, facilities) {
    return { json: groupToJson(await groupsOf(facilities).show(params.name)) }
  },
})

const results = route({
  method: 'get',
  path: '/v1/groups/{name}/results',
  id: 'getGroupResults',
  summary: 'The answer or state of each run of a group, in the order of the prompts',
  demand: 'look',
  params: path,
  answers: {
    200: { description: 'One entry per run', schema: z.object({ results: z.array(memberResult) }) },
  },
  async run({ params }, facilities) {
    const found = await groupsOf(facilities).results(params.name)
    return { json: { results: found.map((each, index) => resultToJson(each, index + 1)) } }
  },
})

const start = route({
  method: 'post',
  path: '/v1/groups/{name}/runs',
  id: 'startGroup',
  summary:
    'Run the prompts of a [[group]] of the config; with a key (or Idempotency-Key header), at most once',
  demand: 'submit',
  params: path,
  body: z.strictObject({
    key: z.string().min(1).max(500).optional().describe('The same key returns the same runs.'),
    session: z.string().min(1).max(500).optional().describe('The session that gets a notice when they end.'),
  }),
  bodyOptional: true,
  answers: {
    201: { description: 'Started', schema: group },
    200: { description: 'The existing runs with this key', schema: group },
  },
  async run({ params, body, header, caller }, facilities) {
    const { queue, loaded, prompting } = inForce(facilities)
    const config = startableIn({ loaded }).find(each => each.name === params.name)
    if (!config) throw notFound(`the config has no [[group]] ${JSON.stringify(params.name)} with prompts`)
    if (!prompting) throw new Problem(409, 'no_agents', 'this process runs no agents')
    const { agents, cwd } = prompting
    const { agents: chosen } = agents.choose({ pool: config.pool }, { env: facilities.env, cwd })
    if (chosen.length === 0)
      throw new Problem(409, 'no_agents', 'no agent CLI is installed; "mulligan doctor" says how to get one')
    const { created } = await startPromptGroup(queue, {
      ...body,
      ...keyOf(body.key, header),
      by: authorOf(caller),
      group: config.name,
      prompts: config.prompts,
      each: { cwd, options: config.worktree ? { worktree: true } : {} },
      agents: chosen,
      repeatable: config.worktree,
      maxRunning: config.maxRunning,
      maxCostUsd: config.maxCostUsd,
    })
    const json = groupToJson(await new Groups(queue).show(config.name))
    return {
      status: created ? 201 : 200,
      json,
      headers: { location: `/v1/groups/${encodeURIComponent(config.name)}` },
    }
  },
})

const cancel = route({
  method: 'post',
  path: '/v1/groups/{name}/cancel',
  id: 'cancelGroup',
  summary: 'Cancel all runs of a group that have not ended; refused if all have ended',
  demand: 'change',
  params: path,
  body: z.strictObject(who),
  bodyOptional: true,
  answers: {
    200: {
      description: 'Number of cancelled runs',
      schema: z.object({ group: z.string(), cancelled: z.number() }),
    },
  },
  async run({ params, body, caller }, facilities) {
    const cancelled = await groupsOf(facilities).cancel(params.name, byOf(body, caller))
    return { json: { group: params.name, cancelled } }
  },
})

function startableIn({ loaded }: Pick<InForce, 'loaded'>) {
  return loaded.config.groups.filter(({ prompts }) => prompts.length > 0)
}

function groupsOf(facilities: Facilities): Groups {
  return new Groups(inForce(facilities).queue)
}

/** Groups of agent runs. */
export const groupRoutes: readonly Route[] = [list, get, results, start, cancel]
