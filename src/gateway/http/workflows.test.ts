import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { defineCapability } from '../../capability/define.ts'
import { WorkflowService } from '../../workflow/workflow-service.ts'

const TOML = `
[queue]
modules = ["./work.ts"]

[[workflow]]
name = "release"
params = { repo = {} }

[[workflow.step]]
id = "build"
run = "build"
params = { repo = "{params.repo}" }

[[workflow.step]]
id = "approve"
ask = "Release {results.build.image}?"
answer = { ok = { type = "boolean" } }

[[workflow.step]]
id = "ship"
run = "build"
when = "results.approve.ok"
params = { repo = "{results.build.image}" }
`

const build = defineCapability({
  name: 'build',
  params: z.object({ repo: z.string() }),
  retry: 'replay',
  run: ({ repo }) => {
    if (repo === 'bad') throw Object.assign(new Error('400 bad repo'), { status: 400 })
    return { image: `${repo}:1` }
  },
})

let api: TestApi
let service: WorkflowService
beforeAll(async () => {
  api = await TestApi.start({ toml: TOML, capabilities: [build] })
  service = new WorkflowService({ queue: api.queue, onError: error => expect(error).toBeUndefined() })
  await api.queue.runner().start()
  await service.start()
})
afterAll(async () => {
  await service.stop()
  await api.close()
})

const post = (path: string, body?: unknown) =>
  api.send(path, { method: 'POST', ...(body === undefined ? {} : { body }) })
const stateOf = async (id: string, step: string) => {
  const { json } = await api.send(`/v1/workflow_runs/${id}`)
  return json.steps.find((each: { id: string }) => each.id === step).state
}
const asked = async (id: string) => {
  for (let n = 0; (await stateOf(id, 'approve')) !== 'waiting'; n++) expect(n).toBeLessThan(500)
}

describe('workflows over HTTP', () => {
  it('are listed with their parameters and steps', async () => {
    const { json } = await api.send('/v1/workflows')
    expect(json.workflows).toMatchObject([
      {
        name: 'release',
        params: { repo: { type: 'string', required: true } },
        steps: [
          { id: 'build', run: 'build', after: [], optional: false, on_fail: 'abort' },
          { id: 'approve', after: ['build'], answer: { ok: { type: 'boolean', required: true } } },
          { id: 'ship', after: ['build', 'approve'], when: 'results.approve.ok' },
        ],
      },
    ])
  })

  it('are drawn before they are started', async () => {
    const { mermaid } = await api.get('/v1/workflows/release/graph')
    expect(mermaid).toContain('flowchart')
    expect(mermaid).toContain('approve')
    expect(await api.send('/v1/workflows/relase/graph')).toMatchObject({
      status: 404,
      json: { code: 'unknown_workflow', detail: expect.stringContaining('did you mean "release"?') },
    })
  })

  it('are started, answered, and read to the end', async () => {
    const started = await post('/v1/workflows/release/runs', { params: { repo: 'a' }, key: 'k', by: 'ann' })
    expect(started.status).toBe(201)
    const { id } = started.json
    expect(started.headers.get('location')).toBe(`/v1/workflow_runs/${id}`)
    expect((await post('/v1/workflows/release/runs', { params: { repo: 'a' }, key: 'k' })).status).toBe(200)
    const again = { method: 'POST', body: { params: { repo: 'a' } }, headers: { 'idempotency-key': 'k' } }
    expect(await api.send('/v1/workflows/release/runs', again)).toMatchObject({ status: 200, json: { id } })
    await asked(id)
    const blocked = (await api.send(`/v1/workflow_runs/${id}`)).json
    expect(blocked).toMatchObject({ state: 'running', status: 'blocked', by: 'ann' })
    expect(blocked.steps[1]).toMatchObject({ question: 'Release a:1?', waits_for: { what: 'an answer' } })
    const answer = `/v1/workflow_runs/${id}/steps/approve/advance`
    expect((await post(answer, { result: { ok: 'yes' } })).json).toMatchObject({
      status: 422,
      code: 'invalid_result',
    })
    expect((await post(answer, {})).status).toBe(400)
    expect((await post(answer, { result: { ok: true }, by: 'bob', reason: 'fine' })).status).toBe(200)
    const { json } = await api.send(`/v1/workflow_runs/${id}?wait_ms=10000`)
    expect(json).toMatchObject({
      status: 'succeeded',
      actions: [{ by: 'bob', action: 'advance', step: 'approve', note: 'fine' }],
    })
    expect((await api.send(`/v1/workflow_runs/${id}/steps/ship/result`)).json).toEqual({
      result: { image: 'a:1:1' },
    })
    expect((await api.send(`/v1/workflow_runs/${id}/graph`)).json.mermaid).toContain('s2["ship')
    expect((await post(`/v1/workflow_runs/${id}/cancel`)).json).toMatchObject({ status: 409, code: 'ended' })
    expect((await api.send('/v1/workflow_runs?state=succeeded&workflow=release')).json.runs).toHaveLength(1)
  })

  it('that failed continue after a skip, and can be cancelled', async () => {
    const { id } = (await post('/v1/workflows/release/runs', { params: { repo: 'bad' } })).json
    expect((await api.send(`/v1/workflow_runs/${id}?wait_ms=10000`)).json).toMatchObject({ status: 'failed' })
    expect((await post(`/v1/workflow_runs/${id}/steps/build/skip`, { by: 'ann' })).status).toBe(200)
    await asked(id)
    expect((await post(`/v1/workflow_runs/${id}/cancel`, { reason: 'enough' })).json).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled over HTTP: enough',
    })
    expect((await post(`/v1/workflow_runs/${id}/retry`, { step: 'build', from: true })).status).toBe(200)
    expect((await api.send(`/v1/workflow_runs/${id}?wait_ms=10000`)).json).toMatchObject({ status: 'failed' })
  })

  it('that do not exist or have invalid parameters are refused with a reason', async () => {
    expect((await post('/v1/workflows/releas/runs')).json).toMatchObject({
      status: 404,
      code: 'unknown_workflow',
      detail: 'there is no workflow "releas"; did you mean "release"?',
    })
    expect((await post('/v1/workflows/release/runs', { params: {} })).json).toMatchObject({
      status: 422,
      detail: 'the parameters are invalid for workflow "release": repo is missing',
    })
    expect((await api.send('/v1/workflow_runs/wf_99')).json).toMatchObject({
      status: 404,
      code: 'missing',
      detail: 'there is no workflow run "wf_99"',
    })
    expect((await api.send('/v1/workflow_runs/release')).json.detail).toContain('ids such as wf_1')
    expect((await api.send('/v1/workflow_runs/wf_1/steps/no/result')).status).toBe(404)
    expect((await post('/v1/workflow_runs/wf_1/retry', { from: true })).status).toBe(400)
  })

  it('are changed only with full access', async () => {
    const { status } = await api.send('/v1/workflows/release/runs', {
      method: 'POST',
      body: { params: { repo: 'a' } },
      token: api.readOnlyToken,
    })
    expect(status).toBe(403)
  })
})
