import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Lab } from '../../../lab/lab.ts'
import { startLab } from '../../../lab/start.ts'
import { Stubs } from '../../../test/agent/stub.ts'
import { Site } from '../../../test/cli/daemon.ts'
import { envOfLab, makeClaude, realClaude } from '../../../test/cli/lab-claude.ts'

let stubs: Stubs
let site: Site
let lab: Lab
/** The full requests to the model, by number. */
let said: Map<number, string>
beforeEach(async () => {
  stubs = new Stubs()
  site = new Site(stubs.folder)
  said = new Map()
  lab = await startLab({
    answer: ({ number, body }) => {
      const messages = JSON.stringify(body.messages)
      said.set(number, messages)
      return `answer to ${/task-\d+/.exec(messages)?.[0]}`
    },
  })
})
afterEach(async () => {
  await site.close()
  await lab.close()
})

const HOUR_MS = 3_600_000
const TASKS = Array.from({ length: 10 }, (_, index) => `task-${index}`)
const configure = (program: string, more = '') =>
  site.configure(`[[provider]]
id = "claude"
cli = "claude"
command = ${JSON.stringify(program)}
models = [{ id = "claude-lab-1" }]
env = ${envOfLab(lab.url)}
${more}`)
/** Paid answers that contain these words. */
const answered = (words: string) =>
  lab.requests
    .filter(({ asked, fault }) => asked === 'messages' && fault === undefined)
    .filter(({ number }) => said.get(number)?.includes(words))
const refused = () => lab.requests.filter(({ fault }) => fault === 'usage_limit')

interface Shown {
  state: string
  counts: Record<string, number>
  cost_usd: number
  runs: { state: string; agent_session?: string; waits_for?: string }[]
}

describe.each([
  { name: 'Claude Code', program: () => realClaude as string, isThere: realClaude !== undefined },
  { name: 'a stand-in for Claude Code', program: () => makeClaude(stubs), isThere: true },
])('ten runs of $name in a group that reaches a usage limit midway', ({ program, isThere }) => {
  it.skipIf(!isThere)('wait together, and each continues in its own session to one answer', async () => {
    configure(
      program(),
      `[[group]]
name = "reviews"
pool = "claude"
max_running = 3
`,
    )
    // Two are done; three have used a tool when the window is used up; five have not started.
    lab.inject([
      { after: 2, fault: 'tool_loop', times: 3 },
      { after: 5, fault: 'usage_limit', times: 'always' },
    ])
    const daemon = await site.serveWithClock()
    const { stdout, stderr } = await site.run('run', '--group', 'reviews', '--queue', '--', ...TASKS)
    expect(stdout).toBe('wf_1\n')
    expect(stderr).toContain('10 runs in group reviews; see "mulligan group show reviews"')
    await daemon.event('provider_blocked')
    await daemon.line(() => refused().length > 0)
    const shown = async () => (await site.json('group', 'show', 'reviews')) as unknown as Shown
    // The clock must not jump while a run has yet to reach the limit: its own timer would end it.
    let waiting = await shown()
    while (waiting.counts.running !== undefined) waiting = await shown()
    expect(waiting.state).toBe('running')
    expect(waiting.counts.succeeded).toBe(2)
    expect(waiting.counts.failed).toBeUndefined()
    const begun = refused().length
    expect(begun).toBeLessThanOrEqual(3)

    daemon.advance(3 * HOUR_MS - 120_000)
    expect(refused()).toHaveLength(begun)
    lab.clear()
    daemon.advance(240_000)
    await daemon.line(({ event }) => event === 'workflow_ended')

    const results = await site.run('group', 'results', 'reviews')
    expect(results).toMatchObject({ code: 0 })
    expect(results.stdout).toBe(TASKS.map((task, index) => `# ${index + 1}\nanswer to ${task}\n`).join(''))
    const { runs, cost_usd } = await shown()
    expect(new Set(runs.map(run => run.agent_session)).size).toBe(10)
    expect(cost_usd).toBeGreaterThan(0)
    // Every task was answered once, however often the limit was met.
    for (const task of TASKS) expect(answered(`${task}"`), task).toHaveLength(1)
    expect(refused()).toHaveLength(begun)
  })
})

describe('mulligan group', () => {
  beforeEach(() => {
    configure(
      makeClaude(stubs),
      `[[group]]
name = "nightly"
pool = "claude"
prompts = ["task-1", "task-2"]
`,
    )
  })

  it('takes prompts line by line, shows the state of each run, and cancels all at once', async () => {
    const started = await site.run('run', '--group', 'g', '--queue', '--json', '--', 'task-1', 'task-2')
    expect(JSON.parse(started.stdout)).toEqual({ group: 'g', workflow_run: 'wf_1', created: true, runs: 2 })
    expect(started.stderr).toContain('no runner is alive')
    expect((await site.run('group', 'ls')).stdout).toMatch(/g\s+running\s+2 runs/)
    const shown = await site.run('group', 'show', 'g')
    expect(shown.stdout).toContain('g: 2 about to start; cost so far $0.00')
    expect(shown.stdout).toMatch(/1 {2}about to start .*task-1 .*waits for a runner/)
    expect(await site.run('group', 'cancel', 'g')).toMatchObject({ code: 0, stdout: 'g: 2 runs cancelled\n' })
    expect(await site.run('group', 'cancel', 'g')).toMatchObject({
      code: 1,
      stderr: 'mulligan group: all runs of group "g" have ended\n',
    })
    expect(await site.run('group', 'results', 'g', '--json')).toMatchObject({ code: 1 })
  })

  it('runs the prompts of the config, and prints answers in their order', async () => {
    await site.serve()
    const { code, stdout } = await site.run('group', 'start', 'nightly', '--wait')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '# 1\nanswer to task-1\n# 2\nanswer to task-2\n',
    })
  })

  it.each([
    [['group', 'show', 'nigtly'], 1, 'there is no group "nigtly"'],
    [['group', 'show', 'nightly'], 1, 'nightly has no runs yet; to start it: mulligan group start nightly'],
    [['group', 'start', 'nigtly'], 2, 'there is no [[group]] "nigtly"; known: nightly'],
    [['group', 'shwo', 'g'], 2, 'did you mean "group show"?'],
    [['run', '--group', 'g', '--', 'x'], 2, '--group needs --queue'],
    [['run', '--max-running', '2', '--', 'x'], 2, '--max-running needs --group'],
    [['run', '--group', 'a b', '--queue', '--', 'x'], 2, 'without spaces or quotes'],
    [['run', '--group', 'g', '--queue', '--max-running', '0', '--', 'x'], 2, '--max-running'],
  ])('answers %j with exit code %i', async (argv, code, message) => {
    const answer = await site.run(...argv)
    expect(answer.stderr).toContain(message)
    expect(answer.code).toBe(code)
  })
})
