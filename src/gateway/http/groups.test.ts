import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { promptCapabilities } from '../../capability/prompt-capability.ts'
import { WorkflowService } from '../../workflow/workflow-service.ts'
import { groupRoutes } from './routes/groups.ts'

const TOML = `
[[provider]]
id = "claude"
cli = "claude"

[[group]]
name = "nightly"
max_running = 1
prompts = ["review a", "review b"]

[[group]]
name = "by-hand"
`

let api: TestApi
let service: WorkflowService
beforeAll(async () => {
  const answer = async ({ prompt }: { prompt: string }) => ({ text: `done: ${prompt}` })
  api = await TestApi.start({ toml: TOML, capabilities: [...promptCapabilities(answer as never)] })
  service = new WorkflowService({ queue: api.queue, onError: error => expect(error).toBeUndefined() })
})
afterAll(async () => {
  await service.stop()
  await api.close()
})

const route = (id: string) => {
  const found = groupRoutes.find(each => each.id === id)
  if (!found) throw new Error(`no route ${id}`)
  return found
}

it('starts the prompts of a group once per key, and shows the state and answer of each run', async () => {
  expect(await api.get('/v1/groups')).toEqual({
    groups: [],
    startable: [{ name: 'nightly', prompts: ['review a', 'review b'], max_running: 1 }],
  })
  const started = await api.post('/v1/groups/nightly/runs', { key: 'monday' })
  expect(api.undocumented(route('startGroup'), started)).toEqual([])
  expect(started).toMatchObject({
    status: 201,
    json: { name: 'nightly', state: 'running', max_running: 1, runs: [{ number: 1 }, { number: 2 }] },
  })
  expect(started.headers.get('location')).toBe('/v1/groups/nightly')
  expect(await api.post('/v1/groups/nightly/runs', { key: 'monday' })).toMatchObject({ status: 200 })
  const again = await api.post('/v1/groups/nightly/runs', {}, { 'idempotency-key': 'monday' })
  expect(again).toMatchObject({ status: 200 })

  await api.queue.runner().start()
  await service.start()
  await expect.poll(async () => (await api.get('/v1/groups/nightly')).counts).toEqual({ succeeded: 2 })
  const shown = await api.send('/v1/groups/nightly')
  expect(api.undocumented(route('getGroup'), shown)).toEqual([])
  const results = await api.send('/v1/groups/nightly/results')
  expect(api.undocumented(route('getGroupResults'), results)).toEqual([])
  expect(results.json).toMatchObject({
    results: [
      { number: 1, state: 'succeeded' },
      { number: 2, state: 'succeeded' },
    ],
  })
  expect((await api.get('/v1/groups')).groups).toMatchObject([{ name: 'nightly', state: 'ended' }])
})

it('cancels runs that have not ended, and refuses invalid requests', async () => {
  await api.queue.pause({ queue: true })
  await api.post('/v1/groups/nightly/runs', { key: 'tuesday' })
  const cancelled = await api.post('/v1/groups/nightly/cancel', { by: 'ana', reason: 'too late' })
  expect(cancelled).toMatchObject({ status: 200, json: { group: 'nightly', cancelled: 2 } })
  expect(await api.post('/v1/groups/nightly/cancel')).toMatchObject({ status: 409, json: { code: 'ended' } })
  expect(await api.send('/v1/groups/nigtly')).toMatchObject({
    status: 404,
    json: { detail: 'there is no group "nigtly"; did you mean "nightly"?' },
  })
  expect(await api.post('/v1/groups/by-hand/runs')).toMatchObject({
    status: 404,
    json: { detail: 'the config has no [[group]] "by-hand" with prompts' },
  })
})
