import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { StdioTransport } from './stdio-transport.ts'

/** A transport, what it reads, and everything that it writes and hands on. */
async function opened(longestBytes?: number) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new StdioTransport(input, output, longestBytes)
  const messages: unknown[] = []
  transport.onmessage = message => messages.push(message)
  await transport.start()
  const answers = () =>
    String(output.read() ?? '')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as { id: unknown; error: { code: number; message: string } })
  const send = async (text: string | Buffer) => {
    input.write(text)
    await new Promise(resolve => setImmediate(resolve))
  }
  return { transport, input, output, messages, answers, send }
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('MCP over stdin and stdout', () => {
  it.each([
    ['no JSON', 'hello\n', -32700, /^the message is not JSON: /, null],
    [
      'bytes that are no text',
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
      -32700,
      /^the message is not UTF-8$/,
      null,
    ],
    ['a list', '[1,2]\n', -32600, /^this is no message of JSON-RPC: it is no object$/, null],
    ['no method', '{"jsonrpc":"2.0","id":7}\n', -32600, /neither a method nor a result/, 7],
    ['a method that is no text', '{"id":"a","method":3}\n', -32600, /its method is no text/, 'a'],
    [
      'what nests too deep, by the id at its end',
      `{"method":"tools/call","params":{"x":${deep(10_000)}},"jsonrpc":"2.0","id":9}\n`,
      -32600,
      /^the message nests deeper than 200 levels$/,
      9,
    ],
    [
      'what nests too deep, by the id at its beginning',
      `{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"x":${deep(300)}}}\n`,
      -32600,
      /^the message nests deeper/,
      'q',
    ],
  ])('answers %s and continues', async (_what, line, code, message, id) => {
    const { answers, messages, send } = await opened()
    await send(line)
    expect(answers()).toMatchObject([{ id, error: { code, message: expect.stringMatching(message) } }])
    await send(PING)
    expect(messages).toMatchObject([{ id: 1, method: 'ping' }])
  })

  it('drops a message that is too long, says so once, and continues', async () => {
    const { answers, messages, send } = await opened(1_000)
    for (let n = 0; n < 5; n++) await send('x'.repeat(600))
    await send(`\n${PING}`)
    expect(answers()).toMatchObject([
      { id: null, error: { code: -32600, message: 'the message is longer than 1000 bytes' } },
    ])
    expect(messages).toMatchObject([{ method: 'ping' }])
  })

  it('answers a request that is too long with the id from its end', async () => {
    const { answers, send } = await opened(1_000)
    const request = { method: 'tools/call', params: { x: 'x'.repeat(5_000) }, jsonrpc: '2.0', id: 41 }
    const line = Buffer.from(`${JSON.stringify(request)}\n`)
    for (let at = 0; at < line.length; at += 700) await send(line.subarray(at, at + 700))
    await send(line)
    expect(answers().map(({ id }) => id)).toEqual([41, 41])
  })

  it('reads messages that come in pieces, and skips empty lines', async () => {
    const { messages, send } = await opened()
    for (const piece of ['\r\n', PING.slice(0, 5), PING.slice(5), '\n\n', PING]) await send(piece)
    expect(messages).toHaveLength(2)
  })

  it('closes when the client leaves', async () => {
    const { transport, input } = await opened()
    input.end()
    await transport.closed
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toThrow('the client has gone')
  })
})
