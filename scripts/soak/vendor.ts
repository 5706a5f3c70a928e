import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

// A vendor of Anthropic's API for a soak. Every word of an answer names its question, so a mixed one shows. A question that says so
// fails once at each vendor, or is cut in the middle.

/** Words of an answer. */
export const WORDS = 20
/** What a question may ask the vendor to do. */
export const FAULTS = ['500', '503', '529', 'reset', 'overloaded', 'cut'] as const
export type Fault = (typeof FAULTS)[number]

/** Starts a vendor. @param wordMs milliseconds between two words */
export async function startVendor({ port = 0, wordMs }: { port?: number; wordMs: number }) {
  const failed = new Set<string>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk
    })
    request.on('end', () => {
      if (request.method !== 'POST') return void response.end()
      const { system } = JSON.parse(text) as { system: string }
      const [id, fault] = system.split(' ') as [string, Fault | undefined]
      const isFirst = fault !== undefined && !failed.has(id)
      // An answer that is cut is not asked for again by us.
      failed.add(id)
      if (failed.size > 20_000) failed.clear()
      void answer(response, id, isFirst ? fault : undefined, wordMs)
    })
  })
  await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>(done => server.close(() => done()))
    },
  }
}

const event = (type: string, data: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

async function answer(
  to: ServerResponse,
  id: string,
  fault: Fault | undefined,
  wordMs: number,
): Promise<void> {
  if (fault === 'reset') return void to.destroy()
  if (fault !== undefined && fault !== 'overloaded' && fault !== 'cut') {
    const status = Number(fault)
    const type = status === 529 ? 'overloaded_error' : 'api_error'
    to.writeHead(status, { 'content-type': 'application/json' })
    to.end(JSON.stringify({ type: 'error', error: { type, message: 'of the soak' } }))
    return
  }
  to.writeHead(200, { 'content-type': 'text/event-stream' })
  const usage = { input_tokens: 9, output_tokens: 1 }
  to.write(
    event('message_start', { message: { id, type: 'message', role: 'assistant', content: [], usage } }),
  )
  if (fault === 'overloaded') {
    to.end(event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }))
    return
  }
  to.write(event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }))
  for (let n = 0; n < WORDS; n++) {
    if (fault === 'cut' && n === WORDS / 2) return void to.destroy()
    to.write(event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `${id}:${n} ` } }))
    await new Promise(resolve => setTimeout(resolve, wordMs))
    if (to.destroyed) return
  }
  to.write(event('content_block_stop', { index: 0 }))
  to.write(event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: WORDS } }))
  to.end(event('message_stop'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , port, wordMs] = process.argv
  const { url } = await startVendor({ port: Number(port), wordMs: Number(wordMs) })
  process.stdout.write(`${url}\n`)
}
