import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { httpServer } from '../../../../test/gateway/mcp/wrap/http-server.ts'
import { programSettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { firstText, wholeText } from './http-body.ts'

const closing: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function wrapOf(url: string): Promise<TestWrap> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-http-body-'))
  const target = { by: 'http' as const, url, headers: {} }
  const wrap = await startWrap(data, [{ ...programSettings(['none']), name: 'remote', target }])
  closing.push(
    () => rmSync(data, { recursive: true, force: true }),
    () => wrap.close(),
  )
  return wrap
}

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

it('reads a whole body, and refuses one that is too long', async () => {
  expect(await wholeText(chunks('{"grö', 'ße":1}'), 20)).toBe('{"größe":1}')
  await expect(wholeText(chunks('12345', '67890', '1'), 10)).rejects.toThrow('longer than any message may be')
})

it('reads only the beginning of a body that does not end', async () => {
  async function* endless() {
    for (;;) yield Buffer.from('no! ')
  }
  expect(await firstText(endless(), 6)).toBe('no! no')
})

it('answers a call that a server refuses with an endless body', async () => {
  const server = await httpServer('session', ({ method, response }) => {
    if (method !== 'tools/call') return false
    response.writeHead(500)
    const write = () => {
      while (!response.destroyed && response.write('broken '.repeat(1_000)));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
    return true
  })
  closing.push(server.close)
  const agent = await (await wrapOf(server.url)).client('session')
  expect(await agent.callTool({ name: 'work', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('may have happened') }],
  })
})

it('stops reading from a server that floods while its client reads nothing', async () => {
  const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(100_000) } }
  const event = `data: ${JSON.stringify(message)}\n\n`
  let written = 0
  const heldUp = Promise.withResolvers<void>()
  const flood = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = () => {
      while (response.write(event)) written += event.length
      written += event.length
      // The system takes a few megabytes more, and then nothing until somebody reads.
      const timer = setTimeout(() => heldUp.resolve(), 1_000)
      response.once('drain', () => {
        clearTimeout(timer)
        if (written < 500_000_000) write()
        else heldUp.resolve()
      })
    }
    write()
  }
  const server = await httpServer('session', () => false, flood)
  closing.push(server.close)
  const { pipes } = await wrapOf(server.url)
  pipes.fromWrap.pause()
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  pipes.toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  await heldUp.promise
  expect(written).toBeLessThan(100_000_000)
  pipes.fromWrap.resume()
}, 20_000)
