import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Site } from './test-daemon.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site.close())

it('serves the API where the command says, with the token that it names, until it stops', async () => {
  const daemon = await site.serve('--http-port', '0')
  const url = (await site.run('http', 'url')).stdout.trim()
  const listening = await daemon.line(({ component }) => component === 'http')
  expect(listening).toMatchObject({ url, msg: expect.stringContaining(`listening on ${url}`) })
  const tokenFile = async (...flags: string[]) => (await site.run('http', 'token', ...flags)).stdout.trim()
  const authorization = `Bearer ${readFileSync(await tokenFile(), 'utf8').trim()}`
  const status = await fetch(`${url}/v1/status`, { headers: { authorization } })
  expect(await status.json()).toMatchObject({ retry_queue: { queued: 0 }, runners: [{}] })
  const looking = `Bearer ${readFileSync(await tokenFile('--read-only'), 'utf8').trim()}`
  const refused = await fetch(`${url}/v1/queue/pause`, {
    method: 'POST',
    headers: { authorization: looking },
  })
  expect(refused.status).toBe(403)
  const code = (await site.run('http', 'code')).stdout.trim()
  const signedIn = await fetch(`${url}/v1/sign_in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  expect(signedIn.status).toBe(200)
  // A log is no place for a code.
  expect(JSON.stringify(daemon.lines)).not.toContain('sign in')
  expect(await daemon.stop()).toBe(0)
  expect(await site.run('http', 'url')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no daemon listens'),
  })
})

it('takes a free port if its own is taken, but not another than was asked for', async () => {
  await site.serve('--http-port', '0')
  const { port } = new URL((await site.run('http', 'url')).stdout.trim())
  const second = site.start('--also', '--http-port', port)
  expect(await second.ended).toBe(75)
  expect(second.lines.at(-1)?.msg).toContain('another program does; choose another port')
})

it('can be switched off, and stays on this machine unless told otherwise', async () => {
  const quiet = await site.serve('--no-http')
  expect((await site.run('http', 'url')).code).toBe(1)
  await quiet.stop()
  const open = site.start('--http-address', '0.0.0.0')
  expect(await open.ended).toBe(1)
  expect(open.lines.at(-1)?.msg).toContain('can be reached from other machines')
})
