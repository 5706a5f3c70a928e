import { expect, it } from 'vitest'
import { wholeEvents } from './whole-events.ts'

async function* pieces(texts: readonly string[], isCut: boolean) {
  for (const text of texts) yield Buffer.from(text)
  if (isCut) throw new Error('cut')
}

async function read(texts: readonly string[], isCut: boolean): Promise<string> {
  let got = ''
  try {
    for await (const bytes of wholeEvents(pieces(texts, isCut))) got += Buffer.from(bytes)
  } catch {
    // It is cut.
  }
  return got
}

const STREAM = 'data: a\n\ndata: b\r\n\r\ndata: c'

it.each([1, 2, 3, 7, 100])('a stream in pieces of %i bytes comes whole', async size => {
  const texts = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) as string[]
  expect(await read(texts, false)).toBe(STREAM)
})

it.each([1, 2, 3, 7, 100])('a cut one in pieces of %i bytes ends after its last whole event', async size => {
  const texts = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) as string[]
  expect(await read(texts, true)).toBe('data: a\n\ndata: b\r\n\r\n')
})

it('keeps no more than 16 MB of an event back, because one without an end would fill the memory', async () => {
  const MB = 1 << 20
  let came = 0
  let most = 0
  async function* endless() {
    for (let asked = 1; asked <= 40; asked++) {
      most = Math.max(most, asked * MB - came)
      yield Buffer.alloc(MB, 'a')
    }
  }
  for await (const bytes of wholeEvents(endless())) came += bytes.length
  expect(came).toBe(40 * MB)
  expect(most).toBeLessThanOrEqual(18 * MB)
})
