import { expect, it } from 'vitest'
import { type DroppedLine, idIn, idOfDropped, idOfDroppedAnswer } from './dropped-line.ts'
import { LineReader } from './lines.ts'

/** Reads a text in chunks of one size; lines above 40 bytes are dropped. */
function read(text: string, size: number) {
  const lines: string[] = []
  const dropped: DroppedLine[] = []
  let told = 0
  const reader = new LineReader(
    line => lines.push(line.toString('utf8')),
    () => told++,
    40,
    line => dropped.push(line),
  )
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  return { lines, dropped, told }
}

it.each([1, 7, 39, 1_000])('drops a line that is too long, with its ends, in chunks of %i bytes', size => {
  const long = `{"jsonrpc":"2.0","id":7,"result":{"text":"${'x'.repeat(500)}"}}`
  const { lines, dropped, told } = read(`before\n${long}\nafter\n`, size)
  expect(lines).toEqual(['before\n', 'after\n'])
  expect(told).toBe(1)
  expect(dropped.map(line => line.tail.toString('utf8').slice(-5))).toEqual(['x"}}\n'])
  expect(dropped.map(idOfDroppedAnswer)).toEqual([7])
})

it('finds the id of a message at its beginning or end', () => {
  expect(idIn('{"jsonrpc":"2.0","id":"a","method":"x"')).toBe('a')
  expect(idIn('{"result":{', '"}},"jsonrpc":"2.0","id":12}\n')).toBe(12)
  expect(idIn('{"result":{', '"}},"id":12,"jsonrpc":"2.0"}\n')).toBe(12)
  expect(idIn('{"params":{"id":3}}')).toBeUndefined()
})

it('takes a request for no answer', () => {
  const line = (head: string) => ({ head: Buffer.from(head), tail: Buffer.from('"}}\n') })
  const request = line('{"jsonrpc":"2.0","id":5,"method":"x","params":{"result":1')
  expect(idOfDropped(request)).toBe(5)
  expect(idOfDroppedAnswer(request)).toBeUndefined()
  expect(idOfDroppedAnswer(line('{"jsonrpc":"2.0","id":5,"result":{"a":"'))).toBe(5)
  expect(idOfDroppedAnswer(line('{"jsonrpc":"2.0","id":5,"error":{"a":"'))).toBe(5)
})
