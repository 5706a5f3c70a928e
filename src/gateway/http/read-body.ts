import { Problem } from './problem.ts'

/**
 * The text of a JSON body; undefined without a body. Throws a {@link Problem} for another media type, a compressed body,
 * more bytes than `most`, or invalid UTF-8.
 */
export async function readBody(request: Request, most: number): Promise<string | undefined> {
  const length = request.headers.get('content-length')
  const isChunked = request.headers.has('transfer-encoding')
  if (!isChunked && (length === null || length === '0')) return undefined
  checkType(request.headers)
  if (Number(length ?? 0) > most) throw tooLarge(most)
  // Node enforces a stated length; a chunked body must be counted.
  const bytes = isChunked ? await counted(request, most) : new Uint8Array(await whole(request))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem(400, 'malformed', 'the body is not UTF-8')
  }
}

function checkType(headers: Headers): void {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new Problem(415, 'media_type', 'send the body as JSON: content-type: application/json')
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    throw new Problem(
      415,
      'media_type',
      `content-encoding ${encoding} is not supported; send the body uncompressed`,
    )
}

async function whole(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer()
  } catch (error) {
    throw interrupted(error)
  }
}

async function counted(request: Request, most: number): Promise<Uint8Array> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) return Buffer.concat(chunks)
      size += part.value.byteLength
      if (size > most) throw tooLarge(most)
      chunks.push(part.value)
    }
  } catch (error) {
    throw error instanceof Problem ? error : interrupted(error)
  } finally {
    reader?.releaseLock()
  }
}

function interrupted(error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error)
  return new Problem(400, 'malformed', `the body ended early: ${reason}`)
}

function tooLarge(most: number): Problem {
  return new Problem(413, 'too_large', `the body is larger than ${most} bytes`, {
    headers: { connection: 'close' },
  })
}
