import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Site } from '../../../test/cli/daemon.ts'
import { eventMessages } from '../../../test/gateway/http/event-messages.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site.close())

it('serves the API at the printed address, with the printed token file, until it stops', async () => {
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
  // A sign-in code must not be in a log file.
  expect(JSON.stringify(daemon.lines)).not.toContain('sign in')
  expect(await daemon.stop()).toBe(0)
  expect(await site.run('http', 'url')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no daemon is listening'),
  })
})

it('takes a free port if its default is taken, but no other than a requested one', async () => {
  await site.serve('--http-port', '0')
  const { port } = new URL((await site.run('http', 'url')).stdout.trim())
  const second = site.start('--also', '--http-port', port)
  expect(await second.ended).toBe(75)
  expect(second.lines.at(-1)?.msg).toContain('another program does; choose another port')
  // It had started no work that would now be interrupted.
  expect(second.lines.map(({ msg }) => msg).join()).not.toContain('to finish')
})

it('can be switched off, and listens only on this machine by default', async () => {
  const quiet = await site.serve('--no-http')
  expect((await site.run('http', 'url')).code).toBe(1)
  await quiet.stop()
  const open = site.start('--http-address', '0.0.0.0')
  expect(await open.ended).toBe(1)
  expect(open.lines.at(-1)?.msg).toContain('can be reached from other machines')
})

/** Numbers of the events that a client has received over all its connections. */
class Listening {
  readonly ids: number[] = []
  broken: Promise<void> = Promise.resolve()

  async open(url: string, token: string): Promise<void> {
    const last = this.ids.at(-1) ?? 0
    const { body } = await fetch(`${url}/v1/events/stream?after=0`, {
      headers: { authorization: `Bearer ${token}`, ...(last > 0 ? { 'last-event-id': String(last) } : {}) },
    })
    this.broken = this.#read(body as ReadableStream<Uint8Array>).catch(() => {})
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const message of eventMessages(body)) {
      const id = /^id: (\d+)$/m.exec(message)?.[1]
      if (id !== undefined) this.ids.push(Number(id))
    }
  }
}

it('is killed with 100 open streams, and each client that resumes gets every event once', async () => {
  site.configure('[queue]\nlease = "1s"\n[[capability]]\nname = "work"\nargv = ["true"]\nretry = "replay"\n')
  const first = await site.serve('--http-port', '0')
  const url = (await site.run('http', 'url')).stdout.trim()
  const token = readFileSync((await site.run('http', 'token')).stdout.trim(), 'utf8').trim()
  const submit = async (count: number) => {
    const operations = Array.from({ length: count }, () => ({ capability: 'work' }))
    await fetch(`${url}/v1/operations/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operations }),
    })
  }
  const clients = Array.from({ length: 100 }, () => new Listening())
  await Promise.all(clients.map(client => client.open(url, token)))
  await submit(20)
  await expect.poll(() => clients.every(({ ids }) => ids.length > 20)).toBe(true)
  await first.stop('SIGKILL')
  await Promise.all(clients.map(({ broken }) => broken))
  const second = await site.serveWithClock('--http-port', new URL(url).port)
  await Promise.all(clients.map(client => client.open(url, token)))
  await submit(5)
  const events = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/v1/events?limit=1000`, { headers })
    const { events: all } = (await answer.json()) as { events: { id: number; type: string }[] }
    return all
  }
  const isOver = async () => (await events()).filter(({ type }) => type === 'succeeded').length === 25
  // Runs that the kill interrupted are retried after a while; skip the wait.
  const isOverSoon = () => {
    second.advance(10_000)
    return isOver()
  }
  await expect.poll(isOverSoon, { timeout: 90_000, interval: 200 }).toBe(true)
  const all = (await events()).map(({ id }) => id)
  await expect.poll(() => clients.every(({ ids }) => ids.length >= all.length)).toBe(true)
  for (const { ids } of clients) expect(ids).toEqual(all)
}, 150_000)
