import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

const TOML = `
[queue]
data = "state"

[[capability]]
name = "greet"
argv = ["echo", "hello {who}"]
params = { who = {} }
retry = "replay"

[[workflow]]
name = "release"
params = { who = {} }

[[workflow.step]]
id = "plan"
ask = "What is the plan for {params.who}?"

[[workflow.step]]
id = "approve"
ask = "Go with {results.plan.text}?"
answer = { ok = { type = "boolean" } }
timeout = "2h"

[[workflow.step]]
id = "greet"
run = "greet"
params = { who = "{params.who}" }
when = "results.approve.ok"
`
const NOW = Date.UTC(2026, 0, 1, 12)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-workflow-'))
  writeFileSync(join(folder, 'mulligan.toml'), TOML)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const mulligan = (...argv: string[]) =>
  runCommand(['workflow', ...argv], { cwd: folder, now: NOW, env: { USER: 'ann' } })
const json = async (...argv: string[]) => JSON.parse((await mulligan(...argv, '--json')).stdout)

describe('mulligan workflow', () => {
  it('lists workflows before any run, without creating a data folder', async () => {
    expect((await mulligan('ls')).stdout).toBe(
      'Workflows: release\nNo runs; start one: mulligan workflow start NAME\n',
    )
    expect((await mulligan('graph', 'release')).stdout).toContain('s1{{"approve<br/>ask: Go with')
  })

  it('refuses wrong usage and says what is right', async () => {
    expect(await mulligan('start', 'releas')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no workflow "releas"; did you mean "release"?'),
    })
    expect((await mulligan('start', 'release')).stderr).toContain('who is missing')
    expect((await mulligan('start', 'release', '--param', 'whom=a')).stderr).toContain('did you mean who?')
    expect((await mulligan('start')).stderr).toContain('needs the NAME of a workflow')
    expect((await mulligan('show', 'wf_9')).stderr).toContain('there is no workflow run "wf_9"')
    expect((await mulligan('retry', 'wf_1', '--result', '1')).stderr).toContain(
      'workflow retry does not take --result, which is for workflow advance',
    )
    expect((await mulligan('advnce')).stderr).toContain('did you mean "workflow advance"?')
  })

  it('starts a run, and shows what each step waits for', async () => {
    expect(await mulligan('start', 'release', '--param', 'who=007', '--key', 'k')).toMatchObject({
      code: 0,
      stdout: 'wf_1\n',
      stderr: expect.stringContaining('no runner is alive'),
    })
    expect((await mulligan('start', 'release', '--param', 'who=007', '--key', 'k')).stderr).toContain(
      'already exists',
    )
    expect((await mulligan('show', 'wf_1')).stdout).toMatch(
      new RegExp(
        [
          '^wf_1 {2}release {2}blocked: waits for an answer \\(plan\\) \\(0/3 succeeded, 1 waiting; started .* by ann\\)',
          '',
          'plan +waiting: waits for an answer',
          ' +asks: What is the plan for 007\\?',
          '└─approve +pending: waits for plan',
          '  └─greet +pending: waits for approve',
          '',
          'answer: mulligan workflow advance wf_1 plan --result JSON\n$',
        ].join('\n'),
      ),
    )
  })

  it('answers with JSON or text, checks the answer, and shows who did what', async () => {
    expect((await mulligan('advance', 'wf_1', 'plan')).stderr).toContain('needs --result JSON')
    expect((await mulligan('advance', 'wf_1', 'plan', '--result', '{"text":"plan B"}')).code).toBe(0)
    const { steps } = await json('show', 'wf_1')
    expect(steps[1]).toMatchObject({
      state: 'waiting',
      question: 'Go with plan B?',
      waits_for: { what: 'an answer' },
    })
    expect((await mulligan('show', 'wf_1')).stdout).toContain(
      `answer: mulligan workflow advance wf_1 approve --result '{"ok": BOOLEAN}'\n`,
    )
    expect(await mulligan('advance', 'wf_1', 'approve', '--result', 'yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'the result of step "approve" is invalid: must be an object, not "yes"',
      ),
    })
    expect(await mulligan('advance', 'wf_1', 'greet', '--result', '1')).toMatchObject({
      code: 1,
      stderr: 'mulligan workflow advance: step "greet" of wf_1 has not started: it waits for approve\n',
    })
    expect((await mulligan('show', 'wf_1', 'plan')).stdout).toBe('{"text":"plan B"}\n')
    expect(await json('show', 'wf_1', 'plan')).toEqual({ result: { text: 'plan B' } })
    await mulligan('advance', 'wf_1', 'approve', '--result', '{"ok":true}', '--reason', 'looks good')
    const { stdout } = await mulligan('show', 'wf_1')
    expect(stdout).toContain('advance approve by ann: looks good')
    expect(stdout).toContain('  └─greet  ready: waits for a runner that has greet')
  })

  it('skips, cancels, refuses to cancel an ended run, and retries from a step', async () => {
    expect((await json('skip', 'wf_1', 'greet', '--reason', 'enough')).status).toBe('succeeded')
    expect(await mulligan('cancel', 'wf_1')).toMatchObject({
      code: 1,
      stderr: 'mulligan workflow cancel: wf_1 has succeeded: there is nothing to cancel\n',
    })
    expect((await mulligan('retry', 'wf_1', '--from')).stderr).toContain('--from needs the STEP')
    expect((await json('retry', 'wf_1', 'approve', '--from')).status).toBe('blocked')
    expect((await json('cancel', 'wf_1')).reason).toBe('cancelled by ann')
    expect((await mulligan('graph', 'wf_1')).stdout).toContain(
      's0{{"plan<br/>ask: What is the plan for {params.who}?<br/>succeeded"}}:::succeeded',
    )
    const { runs, workflows } = await json('ls', '--state', 'cancelled')
    expect([runs.length, workflows.length]).toEqual([1, 1])
    expect((await mulligan('ls')).stdout).toContain('wf_1  release  cancelled  1/3 succeeded, 2 skipped')
    expect((await mulligan('ls', '--state', 'done')).stderr).toContain('takes one of running, succeeded')
  })
})
