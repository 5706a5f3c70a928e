import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type SseEvent, sseEvents } from './sse.ts'

async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let n = 1; n < places.length; n++) yield bytes.subarray(places[n - 1], places[n])
}

async function read(text: string, cuts: readonly number[] = []): Promise<SseEvent[]> {
  const events: SseEvent[] = []
  for await (const event of sseEvents(inPieces(Buffer.from(text), cuts))) events.push(event)
  return events
}

it('reads ids, names, waits and data of several lines, and skips comments', async () => {
  const text = ': hello\n\nid: 7\nretry: 500\ndata:\n\nevent: message\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'
  expect(await read(text)).toEqual([
    { id: '7', retryMs: 500, data: '' },
    { id: '7', event: 'message', data: '{"a":\n1}' },
  ])
})

it('ignores an invalid wait and an unfinished event', async () => {
  expect(await read('retry: soon\ndata: x\n\ndata: half')).toEqual([{ data: 'x' }])
})

it('reads the same events however the stream is split', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async cuts => {
      const text = 'id: ä\ndata: größe 🙂\n\nretry: 10\n\ndata: 2\n\n'
      expect(await read(text, cuts)).toEqual(await read(text))
    }),
  ))

it('stops at an event that is too long, in one line or in many', async () => {
  const reading = async (text: string) => {
    for await (const _ of sseEvents(inPieces(Buffer.from(text), [5, 10, 15]), 12)) {
      // Only the end matters.
    }
  }
  await expect(reading('data: 0123456789012345\n\n')).rejects.toThrow('longer than any message may be')
  await expect(reading('data: 0\n'.repeat(20))).rejects.toThrow('longer than any message may be')
  await reading('data: 0\n\n'.repeat(20))
})
