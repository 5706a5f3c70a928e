import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createParser } from 'eventsource-parser'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NodeHealth as Health } from '../../process/node-health.ts'
import { call } from '../call.ts'
import type { CallFailed } from '../call-failed.ts'

const words =
  'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'

/** What the server writes, in pieces: the end of a stream is torn as the network likes. */
const BODIES: Record<string, string[]> = {
  done: [words, 'data: [DO', 'NE]\n\n'],
  cut: [words],
  mark: ['data: [DONE]\n\n'],
  open: [words, 'data: [DONE]\n\n'],
  usage: [
    words,
    'data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"completion_tokens":3}}\n\n',
  ],
  long: [...Array.from({ length: 99 }, () => words), 'data: [DONE]\n\n'],
  notes: ['data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'],
  told: [words.replace('Hi', String.raw`\ndata: [DONE]\n`)],
}
let url = ''
const server = createServer(async (request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of BODIES[(request.url ?? '').slice(1)] ?? []) {
    response.write(piece)
    await new Promise(setImmediate)
  }
  if (request.url !== '/open') response.end()
})
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

/** Reads a stream as SDKs do: `[DONE]` is not passed on. */
async function* chunks(response: Response): AsyncGenerator<unknown> {
  const come: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void come.push(data) })
  const decoder = new TextDecoder()
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(piece, { stream: true }))
    for (const data of come.splice(0)) if (data !== '[DONE]') yield JSON.parse(data)
  }
}
/** How many chunks a program reads, or what it is told. */
const readAll = async (work: () => AsyncGenerator<unknown> | Promise<AsyncGenerator<unknown>>) => {
  const { value } = await call(work, { provider: 'p', health: new Health() })
  let read = 0
  try {
    for await (const _chunk of value) read++
    return read
  } catch (error) {
    return (error as CallFailed).failure.kind
  }
}
const ask = (path: string) => readAll(async () => chunks(await fetch(`${url}/${path}`)))

it('takes a stream for complete that ends with [DONE] alone, although its SDK does not show that', async () => {
  expect(await ask('done')).toBe(1)
  expect(await ask('long')).toBe(99)
})

it('knows the end of a stream whose client hangs up as soon as it has come, although the server goes on', async () => {
  const work = async () => {
    const stop = new AbortController()
    const response = await fetch(`${url}/open`, { signal: stop.signal })
    return (async function* () {
      let all = ''
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        all += new TextDecoder().decode(piece)
        if (all.includes('[DONE]')) break
      }
      yield JSON.parse(words.slice(6))
      stop.abort()
    })()
  }
  expect(await readAll(work)).toBe(1)
})

it('takes a stream for cut that ends without it, also if the model says the word', async () => {
  expect(await Promise.all([ask('cut'), ask('told'), ask('done')])).toEqual(['stream_cut', 'stream_cut', 1])
})

it('goes by the last stream of the try', async () => {
  const both = (first: string, second: string) =>
    readAll(async () => {
      await (await fetch(`${url}/${first}`)).text()
      return chunks(await fetch(`${url}/${second}`))
    })
  expect(await both('done', 'cut')).toBe('stream_cut')
  expect(await both('cut', 'done')).toBe(1)
})

it('goes by all streams that come at the same time, because any may be the one that is read', async () => {
  const beside = (returned: string, other: string) =>
    readAll(async () => {
      const [one, two] = await Promise.all([fetch(`${url}/${returned}`), fetch(`${url}/${other}`)])
      await two.text()
      return chunks(one)
    })
  expect(await beside('done', 'done')).toBe(1)
  expect(await beside('cut', 'done')).toBe('stream_cut')
  expect(await beside('done', 'notes')).toBe(1)
})

it('knows the end of a stream that a call within the work returns', async () => {
  const within = (path: string) =>
    readAll(async () => {
      const work = async () => chunks(await fetch(`${url}/${path}`))
      return (await call(work, { provider: 'q', health: new Health() })).value
    })
  expect(await within('done')).toBe(1)
  expect(await within('cut')).toBe('stream_cut')
})

it('goes by the wire where a client makes up the end, also if it asks only when it is read', async () => {
  const client = async function* (path: string) {
    await (await fetch(`${url}/${path}`)).text()
    yield { type: 'text-delta', id: '0', delta: 'Hi' }
    yield { type: 'finish', finishReason: { unified: 'interrupted' } }
  }
  expect(await readAll(() => client('usage'))).toBe(2)
  expect(await readAll(() => client('done'))).toBe(2)
  expect(await readAll(() => client('cut'))).toBe('stream_cut')
  expect(await readAll(() => client('mark'))).toBe('stream_cut')
})
