import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer } from '../../../test/agent/bodies.ts'
import { Stubs } from '../../../test/agent/stub.ts'
import { Site } from '../../../test/cli/daemon.ts'

let stubs: Stubs
let site: Site
beforeEach(() => {
  stubs = new Stubs()
  site = new Site(stubs.folder)
})
afterEach(() => site.close())

it('an agent operation has options of its own, which are checked on submit', async () => {
  const program = stubs.make('claude', answer())
  site.configure(`[[provider]]
id = "claude"
cli = "claude"
command = ${JSON.stringify(program)}
[[capability]]
name = "review"
agent = { prompt = "Review {branch}.", options = { permission_mode = "plan" }, job_options = ["model", "allowed_tools"] }
params = { branch = {} }
provider = "claude"
`)
  const submit = (options: object, ...more: string[]) =>
    site.run('submit', 'review', '--params', JSON.stringify({ branch: 'x', options }), ...more)
  expect(await submit({ permission_mode: 'accept_edits' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('option permission_mode: the capability sets it'),
  })
  expect(await submit({ model: '' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('option model: must be a non-empty string'),
  })
  await site.serve()
  expect(await submit({ model: 'opus', allowed_tools: ['Read'] }, '--wait')).toMatchObject({ code: 0 })
  const { args = [], input } = stubs.starts('claude')[0] ?? {}
  expect(input).toBe('Review x.')
  expect(args.join(' ')).toContain('--model opus --permission-mode plan --allowedTools Read')
})
