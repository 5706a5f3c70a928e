import { expect, it } from 'vitest'
import { WholeEvents } from './whole-events.ts'

function read(texts: readonly string[], isCut: boolean): string {
  const events = new WholeEvents()
  const parts = texts.flatMap(text => events.take(Buffer.from(text)))
  return Buffer.concat(isCut ? parts : [...parts, ...events.rest()]).toString()
}

const STREAM = 'data: a\n\ndata: b\r\n\r\ndata: c'

it.each([1, 2, 3, 7, 100])('a stream in pieces of %i bytes comes whole', size => {
  const texts = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) as string[]
  expect(read(texts, false)).toBe(STREAM)
})

it.each([1, 2, 3, 7, 100])('a cut one in pieces of %i bytes ends after its last whole event', size => {
  const texts = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) as string[]
  expect(read(texts, true)).toBe('data: a\n\ndata: b\r\n\r\n')
})

it('keeps no more than 16 MB of an event back, because one without an end would fill the memory', () => {
  const MB = 1 << 20
  const events = new WholeEvents()
  let came = 0
  let most = 0
  for (let given = 1; given <= 40; given++) {
    came += events.take(Buffer.alloc(MB, 'a')).reduce((bytes, part) => bytes + part.length, 0)
    most = Math.max(most, given * MB - came)
  }
  for (const part of events.rest()) came += part.length
  expect(came).toBe(40 * MB)
  expect(most).toBeLessThanOrEqual(18 * MB)
})
