import { LONGEST_LINE_BYTES } from '../lines.ts'
import { tooLong } from './no-answer.ts'

type Chunks = AsyncIterable<Uint8Array>

/** Lets bodies of HTTP responses through, or stops reading them while the client does not keep up. */
export class Valve {
  #opening: PromiseWithResolvers<void> | undefined

  turn(isOpen: boolean): void {
    if (!isOpen) {
      this.#opening ??= Promise.withResolvers()
      return
    }
    this.#opening?.resolve()
    this.#opening = undefined
  }

  /** The chunks of a body. The system holds up the server while nobody takes the next one. */
  async *through({ body }: Response): AsyncGenerator<Uint8Array> {
    if (!body) return
    for await (const chunk of body as unknown as Chunks) {
      // It may be closed again before this goes on.
      while (this.#opening) await this.#opening.promise
      yield chunk
    }
  }
}

/** A whole body as text. Rejects if it is longer than any message may be. */
export async function wholeText(chunks: Chunks, longestBytes = LONGEST_LINE_BYTES): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > longestBytes) throw tooLong()
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The beginning of a body as text; the rest is not read. */
export async function firstText(chunks: Chunks, mostBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.length
    if (bytes >= mostBytes) break
  }
  return Buffer.concat(parts).subarray(0, mostBytes).toString('utf8')
}
