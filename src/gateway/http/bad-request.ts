import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from './problem.ts'
import { SECURITY_HEADERS } from './send.ts'

/**
 * Answers input that never became a request with a problem: not HTTP, too slow, or headers too large.
 *
 * @param hint says what decides how slow is too slow
 */
export function refuseBadRequests(server: Server, hint: string): void {
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, answer) => answers.set(socket, answer))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const answer = answers.get(socket)
    // In the middle of an answer, a second one would look like part of it.
    const isAnswering = answer?.headersSent === true && !answer.writableFinished
    if (socket.writable && !isAnswering && error.code !== 'ECONNRESET')
      socket.write(textOf(problemOf(error, hint)))
    socket.destroy(error)
  })
}

function problemOf({ code, message }: NodeJS.ErrnoException, hint: string): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem(408, 'too_slow', `the request took too long to arrive; ${hint}`)
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        431,
        'too_large',
        'the headers are larger than 64 KiB; in a browser, delete the cookies of this host',
      )
    default:
      return new Problem(400, 'malformed', `this is not HTTP: ${message.replace(/^Parse Error: /, '')}`)
  }
}

function textOf(problem: Problem): string {
  const { status, body, headers } = problem.toAnswer()
  const all = {
    ...SECURITY_HEADERS,
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
