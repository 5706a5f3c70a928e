import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

let cwd: string
const file = (name: string, content: string) => writeFileSync(join(cwd, name), content)
const now = Date.parse('2026-10-05T14:00:00Z')

const init = { type: 'system', subtype: 'init', session_id: 's-1', apiKeySource: 'none', tools: [] }
const said = {
  type: 'assistant',
  message: { content: [{ type: 'text', text: '401 Unauthorized' }] },
  session_id: 's-1',
}
const done = { type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: 's-1' }
const limited = { ...done, is_error: true, result: "You've hit your limit · resets 4:50pm (Europe/London)" }

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
  file('limit.txt', "You've hit your limit · resets 4:50pm (Europe/London)\n")
  file('error.json', JSON.stringify({ name: 'RateLimitError', message: '429 slow down', status: 429 }))
  file('answer.http', 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\n\r\nbusy')
  file('out.txt', 'all fine')
  file('empty.txt', '\n')
  file('stream.jsonl', `${[init, said, limited].map(event => JSON.stringify(event)).join('\n')}\n`)
  file('done.jsonl', `${[init, said, done].map(event => JSON.stringify(event)).join('\n')}\n`)
  file('cut.jsonl', `${[init, said].map(event => JSON.stringify(event)).join('\n')}\n`)
  file('mulligan.toml', '[[provider]]\nid = "acme"\nerror_signatures = { throttle = ["ticket booth"] }\n')
  file('bad.toml', '[[provider]]\nid = "acme"\nerror_signatures = { throttle = ["("] }\n')
})

const run = (argv: string[], options = {}) => runCommand(['classify', ...argv], { cwd, now, ...options })

describe('mulligan classify', () => {
  it('describes the failure in a file in one line', async () => {
    const { code, stdout, stderr } = await run(['limit.txt'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      "throttle/usage_limit · works again in 1 h 50 min (2026-10-05T15:50:00Z) · may have taken effect · You've hit your limit · resets 4:50pm (Europe/London)\n",
    )
  })

  it('reads stdin, and prints only JSON with --json', async () => {
    const { stdout } = await run(['--json'], { stdin: 'ECONNRESET' })
    expect(JSON.parse(stdout)).toMatchObject({
      class: 'transient',
      kind: 'network',
      evidence: { rule: expect.any(String) },
    })
    expect(
      (await run(['-', '--json'], { stdin: '{"type":"result","subtype":"success","is_error":false}' }))
        .stdout,
    ).toBe('null\n')
  })

  it('parses JSON input', async () => {
    expect(JSON.parse((await run(['error.json', '--json'])).stdout)).toMatchObject({
      class: 'throttle',
      status: 429,
    })
  })

  it('names each of several files', async () => {
    const { stdout } = await run(['limit.txt', 'error.json'])
    expect(stdout.split('\n').map(line => line.split(':')[0])).toEqual(['limit.txt', 'error.json', ''])
  })

  it('takes the end of a program from flags', async () => {
    expect((await run(['--exit', '127'], { stdin: 'sh: claude: not found' })).stdout).toContain(
      'permanent/binary_not_found',
    )
    expect((await run(['--exit', '0', '--stdout', 'out.txt'], { stdin: '' })).stdout).toBe('not a failure\n')
    expect((await run(['--signal', 'kill'], { stdin: '' })).stdout).toContain('unknown/killed')
    expect((await run(['--exit', '1', '--timed-out'], { stdin: '' })).stdout).toContain('timeout/timeout')
    expect((await run(['--aborted'], { stdin: '429' })).stdout).toContain('aborted/aborted')
  })

  it('reads an HTTP response as printed by curl', async () => {
    expect(JSON.parse((await run(['--http', '--json', 'answer.http'])).stdout)).toMatchObject({
      status: 503,
      retry_after_ms: 7_000,
    })
  })

  it("reads an agent's event lines as its output", async () => {
    expect(JSON.parse((await run(['--json', 'stream.jsonl'])).stdout)).toMatchObject({
      kind: 'usage_limit',
      session_id: 's-1',
      effect: 'maybe',
    })
    expect((await run(['done.jsonl'])).stdout).toBe('not a failure\n')
    expect((await run(['cut.jsonl'])).stdout).toContain('transient/stream_cut')
  })

  it('says that it waits for input only if stdin is a terminal', async () => {
    const waiting = await run([], { stdin: '429', isTerminal: true })
    expect(waiting).toMatchObject({ code: 0, stderr: expect.stringContaining('press Ctrl-D') })
    expect((await run([], { stdin: '429' })).stderr).toBe('')
    expect((await run(['limit.txt'], { isTerminal: true })).stderr).toBe('')
  })

  it('uses the signatures of the config that it finds or is given', async () => {
    expect((await run(['--provider', 'acme'], { stdin: 'ticket booth closed' })).stdout).toContain(
      'throttle/rate_limit',
    )
    expect((await run(['--provider', 'other'], { stdin: 'ticket booth closed' })).stdout).toContain(
      'unknown/unknown',
    )
  })

  it.each([
    [['--exit', 'one'], 2, '--exit takes a whole number'],
    [['--signal', '9!'], 2, '--signal takes a signal name'],
    [['--proivder', 'x'], 2, 'did you mean --provider?'],
    [['missing.txt'], 1, 'cannot read missing.txt: ENOENT'],
    [['429 Too Many Requests'], 1, 'to classify text, pipe it in: echo'],
    [['.'], 1, 'cannot read .: EISDIR'],
    [['--exit', '1', '--stdout', 'gone.txt'], 1, 'cannot read gone.txt: ENOENT'],
    [['--exit', '1', '--stdout', '-'], 2, '--stdout takes a FILE'],
    [[], 2, 'stdin is empty'],
    [['empty.txt'], 1, 'empty.txt is empty'],
    [['-', '-'], 2, 'only once'],
    [['--signal', 'foo'], 2, '--signal takes a signal name'],
    [['--signal', 'SIGTREM'], 2, 'did you mean SIGTERM?'],
    [['--now', 'soon'], 2, '--now takes a time'],
    [['--time-zone', 'Mars'], 2, '--time-zone takes a zone'],
    [['--http', '--exit', '1'], 2, 'use --http for an HTTP response'],
    [['--http', 'limit.txt'], 2, 'status line'],
    [['--config', 'bad.toml'], 1, 'provider "acme"'],
    [['--config', 'none.toml'], 1, 'none.toml: cannot be read'],
  ])('answers %j with exit code %i', async (argv, code, message) => {
    const ran = await run(argv)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
  })
})

describe('mulligan explain', () => {
  it('shows the evidence in plain words', async () => {
    const { stdout } = await runCommand(['explain', 'limit.txt'], { cwd, now })
    expect(stdout).toContain('throttle/usage_limit: a usage limit was reached')
    expect(stdout).toContain('Decided by     limit.plan_window')
    expect(stdout).toContain('Works again    in 1 h 50 min')
    expect(stdout).toContain('Effect         maybe')
    expect(stdout).toContain('Said by        prose: ')
  })

  it('says how far a time is believed that a stranger states', async () => {
    const told = (input: object) => runCommand(['explain', '-'], { cwd, now, stdin: JSON.stringify(input) })
    const tool = { isError: true, content: [{ type: 'text', text: 'HTTP 429. Retry after 2900000 seconds' }] }
    expect((await told(tool)).stdout).toMatch(/Works again {4}in 33 d .*; believed for 1 h at most/)
    const header = { status: 429, headers: { 'retry-after': '2900000' }, body: '' }
    expect((await told(header)).stdout).not.toContain('believed')
  })

  it('includes the reason of the rule in JSON', async () => {
    const { stdout } = await runCommand(['explain', 'limit.txt', '--json'], { cwd, now })
    expect(JSON.parse(stdout).why).toContain('window of a plan')
  })
})
