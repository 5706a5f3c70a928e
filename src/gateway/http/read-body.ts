import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'

/** Decodes whole texts only, so one serves all requests. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a JSON body; undefined without a body. Throws a {@link Problem} for another media type, a compressed body,
 * more bytes than `most`, or invalid UTF-8.
 */
export async function readBody(incoming: IncomingMessage, most: number): Promise<string | undefined> {
  const { 'content-length': length, 'transfer-encoding': transfer } = incoming.headers
  if (transfer === undefined && (length === undefined || Number(length) === 0)) return undefined
  checkType(incoming)
  if (Number(length ?? 0) > most) throw tooLarge(most)
  const bytes = await bytesOf(incoming, most)
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Problem(400, 'malformed', 'the body is not UTF-8')
  }
}

function checkType({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Problem(415, 'media_type', 'send the body as JSON: content-type: application/json')
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new Problem(
      415,
      'media_type',
      `content-encoding ${encoding} is not supported; send the body uncompressed`,
    )
}

/** Reads Node's stream itself: as a web stream, each body would be copied and pass through several promises. */
function bytesOf(incoming: IncomingMessage, most: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (settled: () => void) => {
      incoming.off('data', take).off('end', end).off('error', fail).off('close', fail)
      settled()
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      // Only a chunked body can come to this: Node takes no more than a stated length.
      if (size > most) settle(() => reject(tooLarge(most)))
      else chunks.push(chunk)
    }
    const end = () =>
      settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const fail = (error?: Error) => settle(() => reject(interrupted(error)))
    incoming.on('data', take).on('end', end).on('error', fail).on('close', fail)
    if (incoming.destroyed) fail(incoming.errored ?? undefined)
  })
}

function interrupted(error: Error | undefined): Problem {
  return new Problem(400, 'malformed', `the body ended early: ${error?.message ?? 'the client is gone'}`)
}

function tooLarge(most: number): Problem {
  return new Problem(413, 'too_large', `the body is larger than ${most} bytes`, {
    headers: { connection: 'close' },
  })
}
