import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { realTime } from '../../time/time.ts'
import { EventFeed } from './event-feed.ts'

let api: TestApi
let feed: EventFeed
let stopping: AbortController
beforeEach(async () => {
  stopping = new AbortController()
  api = await TestApi.start({ capabilities: [scriptedCapability({ name: 'fine' }).capability] })
  const { ledger } = api.queue
  feed = new EventFeed({ ledger, time: realTime, onError: error => expect.unreachable(String(error)) })
})
afterEach(async () => {
  stopping.abort()
  await feed.stop()
  await api.close()
})

const submit = (count: number) =>
  api.queue.submitMany(
    Array.from({ length: count }, () => ({ capability: 'fine', at: Date.parse('2099-01-01T00:00:00Z') })),
  )

/** Numbers of the events that a follower gets, up to the last or beyond. */
async function numbersOf(position: number, last: number): Promise<number[]> {
  const follower = feed.follow(position, stopping.signal)
  const numbers: number[] = []
  while ((numbers.at(-1) ?? 0) < last && !stopping.signal.aborted)
    for (const { id } of await follower.next()) numbers.push(id)
  return numbers
}

it('gives a follower at any place every later event once, also where only the ledger still has it', async () => {
  await submit(100)
  // Starts reading, so that what comes now is first kept and then partly dropped.
  const watching = numbersOf(100, 4_200)
  for (let n = 0; n < 41; n++) await submit(100)
  const all = Array.from({ length: 4_200 }, (_, index) => index + 1)
  expect(await watching).toEqual(all.slice(100))
  for (const position of [0, 99, 1_099, 1_100, 1_199, 2_199, 2_200, 2_201, 4_199])
    expect(await numbersOf(position, 4_200)).toEqual(all.slice(position))
})
