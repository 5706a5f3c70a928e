import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BUILT_COMMAND } from '../../../test/cli/command.ts'
import { runCommand } from '../../../test/cli/terminal.ts'
import { run } from '../../process/run.ts'

/** Starts the command, does something while it listens, and stops it with SIGINT. */
async function whileListening(args: string[], act: (url: string) => Promise<void>, env = {}) {
  const controller = new AbortController()
  let text = ''
  let acted: Promise<void> | undefined
  const result = await run({
    argv: [process.execPath, BUILT_COMMAND, 'lab', ...args],
    env: { ...process.env, ...env },
    signal: controller.signal,
    timeoutMs: 50_000,
    onOutput: (_stream, chunk) => {
      text += chunk
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (url && !acted) acted = act(url).finally(() => controller.abort())
    },
  })
  await acted
  return result
}

const ask = (url: string) => fetch(`${url}/v1/messages`, { method: 'POST', body: '{"model":"m"}' })

it('prints how to reach it and every request, and exits with 0 when stopped', async () => {
  const statuses: number[] = []
  const result = await whileListening(['--fault', 'overloaded'], async url => {
    statuses.push((await ask(url)).status)
  })
  expect(statuses).toEqual([529])
  expect(result).toMatchObject({ exitCode: 0, stderr: '' })
  expect(result.stdout).toContain('overloaded, always')
  expect(result.stdout).toMatch(/export ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+\n/)
  for (const tool of ['claude', 'codex', 'opencode', 'gemini', 'OpenAI SDK'])
    expect(result.stdout).toContain(`\n${tool}\n`)
  expect(result.stdout).toContain('anthropic messages m  →  529, overloaded')
})

it('follows a script, and prints only JSON with --json', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'mulligan-')), 'script.json')
  writeFileSync(file, '[{"after": 1, "fault": "rate_limit"}]')
  const result = await whileListening(
    ['--script', file, '--json', '--answer', 'yes', '--wait', '1m'],
    async url => {
      expect(await (await ask(url)).text()).toContain('"yes"')
      expect((await ask(url)).headers.get('retry-after')).toBe('60')
    },
  )
  const lines = result.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toMatchObject([
    { type: 'listening', faults: [{ after: 1, fault: 'rate_limit' }], setups: expect.any(Array) },
    { type: 'request', number: 1, status: 200 },
    { type: 'request', number: 2, status: 429, fault: 'rate_limit' },
  ])
})

it('repeats its random faults with the same seed, and takes its token from the environment', async () => {
  const seen = async () => {
    const statuses: string[] = []
    await whileListening(
      ['--probability', '0.5', '--seed', '3'],
      async url => {
        const headers = { 'x-api-key': 'right' }
        const send = () => fetch(`${url}/v1/messages`, { method: 'POST', headers, body: '{}' })
        for (let i = 0; i < 10; i++)
          statuses.push(
            await send().then(
              ({ status }) => String(status),
              () => 'none',
            ),
          )
        expect((await ask(url)).status).toBe(401)
      },
      { MULLIGAN_LAB_TOKEN: 'right' },
    )
    return statuses
  }
  const first = await seen()
  expect(new Set(first).size).toBeGreaterThan(1)
  expect(await seen()).toEqual(first)
})

it('lists its faults', async () => {
  const { stdout } = await runCommand(['lab', '--list'])
  expect(stdout).toMatch(/^rate_limit +throttle\/rate_limit +\S/m)
  const { stdout: json } = await runCommand(['lab', '--list', '--json'])
  expect(JSON.parse(json)).toContainEqual({
    name: 'overloaded',
    expected: { class: 'transient', kind: 'overloaded' },
    summary: expect.any(String),
  })
})

it.each([
  [['--fault', 'overlaoded'], 'unknown fault "overlaoded"; did you mean "overloaded"?'],
  [['--fault', 'auth', '--script', 'x'], 'use --fault or --script, not both'],
  [['--probability', '2'], '--probability takes a number from 0 to 1, not "2"'],
  [['--seed', '1'], '--seed goes with --probability'],
  [['--port', 'x'], '--port takes a whole number, 0 or more, not "x"'],
  [['--port', '70000'], '--port takes a number up to 65535, not 70000'],
  [['--wait', 'soon'], '--wait takes a duration such as'],
  [['--in-stream'], '--in-stream goes with --fault'],
  [['surprise'], 'unexpected argument "surprise"'],
])('says what is wrong with %j', async (args, message) => {
  expect(await runCommand(['lab', ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  })
})

it('names the script that cannot be used, and why', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
  writeFileSync(join(cwd, 'bad.json'), '[{"fault": "hagn"}]')
  expect(await runCommand(['lab', '--script', 'bad.json'], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bad.json: unknown fault "hagn"; did you mean "hang"?'),
  })
  expect(await runCommand(['lab', '--script', 'none.json'], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('none.json'),
  })
})
