import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One side of an exchange, as it was on the wire. */
interface Half {
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
}

/** A request and its answer. */
export interface Exchange {
  asked: Half & { method: string; path: string }
  answered: Half & { status: number }
}

/** Stands between a client and a server, changes nothing, and remembers what went by. */
export interface Tap {
  url: string
  exchanges: Exchange[]
  close: () => Promise<void>
}

export async function startTap(to: string): Promise<Tap> {
  const exchanges: Exchange[] = []
  const server = createServer((from, back) => void forward(from, back, to, exchanges))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () => {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}

async function forward(
  from: IncomingMessage,
  back: ServerResponse,
  to: string,
  seen: Exchange[],
): Promise<void> {
  const asked = { ...(await halfOf(from)), method: from.method ?? '', path: from.url ?? '' }
  const sent = request(
    to + asked.path,
    { method: asked.method, headers: from.rawHeaders, agent: false },
    async answer => {
      back.writeHead(answer.statusCode as number, answer.rawHeaders)
      answer.on('data', chunk => void back.write(chunk))
      const answered = { ...(await halfOf(answer)), status: answer.statusCode as number }
      seen.push({ asked, answered })
      back.end()
    },
  )
  sent.on('error', () => back.destroy())
  sent.end(asked.body)
}

async function halfOf(message: IncomingMessage): Promise<Half> {
  const { rawHeaders } = message
  const headers: [string, string][] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.push([(rawHeaders[at] as string).toLowerCase(), rawHeaders[at + 1] as string])
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  return { headers: headers.sort(), body: Buffer.concat(chunks) }
}

/** The names of headers that differ between two halves. */
export function differingHeaders(one: Half, other: Half): string[] {
  const lines = (half: Half) => new Set(half.headers.map(line => line.join(': ')))
  const [left, right] = [lines(one), lines(other)]
  const differing = [...left, ...right].filter(line => !(left.has(line) && right.has(line)))
  return [...new Set(differing.map(line => line.slice(0, line.indexOf(':'))))].sort()
}
