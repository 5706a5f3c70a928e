import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { eventMessages } from '../../../test/gateway/http/event-messages.ts'
import { scriptedCapability } from '../../testing/scripted.ts'

let api: TestApi
beforeEach(async () => {
  api = await TestApi.start({ capabilities: [scriptedCapability({ name: 'fine' }).capability] })
})
afterEach(() => api.close())

/** A client of the stream, with the numbers and types of the events it received. */
class Client {
  readonly ids: number[] = []
  readonly types: string[] = []
  readonly #stop = new AbortController()
  ended: Promise<void> | undefined

  async open(query = '', lastEventId?: number): Promise<this> {
    const response = await fetch(`${api.url}/v1/events/stream${query}`, {
      headers: {
        authorization: `Bearer ${api.readOnlyToken}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
      },
      signal: this.#stop.signal,
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    this.ended = this.#read(response.body as ReadableStream<Uint8Array>).catch(() => {})
    return this
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const message of eventMessages(body)) {
      const [, id, type] = /^id: (\d+)\nevent: (\w+)\ndata: \{.*\}$/.exec(message) ?? []
      if (id === undefined) continue
      this.ids.push(Number(id))
      this.types.push(type as string)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.ended
  }
}

const submit = async (count: number) => {
  await api.queue.submitMany(Array.from({ length: count }, () => ({ capability: 'fine' })))
}
const all = async () => (await api.queue.ledger.events({ limit: 100_000 })).map(({ id }) => id)

it('sends events from now on, in order', async () => {
  await submit(1)
  const client = await new Client().open()
  await submit(3)
  await expect.poll(() => client.types).toEqual(['submitted', 'submitted', 'submitted'])
  expect(client.ids).toEqual((await all()).slice(1))
  await client.close()
})

it('continues after the last event, recent or old, without losing or repeating one', async () => {
  await submit(5_000)
  const first = await new Client().open('?after=0')
  await expect.poll(() => first.ids.length).toBeGreaterThan(300)
  await first.close()
  await submit(100)
  const second = await new Client().open('', first.ids.at(-1))
  await submit(10)
  const events = await all()
  await expect.poll(() => first.ids.length + second.ids.length).toBe(events.length)
  expect([...first.ids, ...second.ids]).toEqual(events)
  await second.close()
})

it('starts from now for a number beyond the last event, which a ledger before a restore gave', async () => {
  await submit(1)
  const client = await new Client().open('', 1_000_000)
  await submit(2)
  await expect.poll(() => client.ids).toEqual((await all()).slice(1))
  await client.close()
})

it('serves the next stream after the ledger could not be read for one', async () => {
  vi.spyOn(api.queue.ledger, 'lastEvent').mockImplementationOnce(() => Promise.resolve(0))
  vi.spyOn(api.queue.ledger, 'lastEvent').mockImplementationOnce(() => Promise.reject(new Error('busy')))
  const broken = await new Client().open('?after=0')
  await broken.ended
  const client = await new Client().open('?after=0')
  await submit(1)
  await expect.poll(() => client.types).toEqual(['submitted'])
  await client.close()
})

it('sends only the requested events', async () => {
  await submit(2)
  const client = await new Client().open('?after=0&operation=op_2&type=submitted')
  const others = await new Client().open('?after=0&type=dead')
  await api.queue.cancel('op_2')
  await expect.poll(() => others.types).toEqual(['dead'])
  expect(client.types).toEqual(['submitted'])
  await Promise.all([client.close(), others.close()])
})

it('sends each of several streams what it asked for, also where they read the same events', async () => {
  const clients = await Promise.all(
    ['', '?type=submitted', '?type=dead', '?type=submitted&type=dead'].map(query => new Client().open(query)),
  )
  await expect.poll(() => api.gateway.waitingStreams).toBe(4)
  await submit(2)
  await api.queue.cancel('op_2')
  const types = () => clients.map(client => client.types)
  const [both, submitted, dead] = [['submitted', 'submitted', 'dead'], ['submitted', 'submitted'], ['dead']]
  await expect.poll(types).toEqual([both, submitted, dead, both])
  await Promise.all(clients.map(client => client.close()))
})

it('answers HEAD without a stream, and ends', async () => {
  const { status, headers } = await api.send('/v1/events/stream', {
    method: 'HEAD',
    headers: { connection: 'close' },
  })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await expect.poll(() => api.gateway.waitingStreams).toBe(0)
})

it('feeds many streams from one read, forgets closed ones, and ends all when it stops', async () => {
  const clients = await Promise.all(Array.from({ length: 100 }, () => new Client().open()))
  await expect.poll(() => api.gateway.waitingStreams).toBe(100)
  await submit(20)
  await expect.poll(() => clients.every(({ ids }) => ids.length === 20)).toBe(true)
  await Promise.all(clients.slice(10).map(client => client.close()))
  await expect.poll(() => api.gateway.waitingStreams).toBe(10)
  await api.gateway.stop()
  await Promise.all(clients.map(({ ended }) => ended))
})

it('lists events by page, and refuses an invalid number', async () => {
  await submit(3)
  const first = (await api.get('/v1/events?limit=2')).events
  const rest = (await api.get(`/v1/events?after=${first[1].id}&type=submitted`)).events
  expect([...first, ...rest].map(({ operation }: { operation: string }) => operation)).toEqual([
    'op_1',
    'op_2',
    'op_3',
  ])
  const wrong = await api.send('/v1/events/stream', { headers: { 'last-event-id': 'x' } })
  expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid' } })
})
