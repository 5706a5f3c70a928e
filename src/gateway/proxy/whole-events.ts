/** What ends an event. */
const BLANK_LINES = ['\n\n', '\n\r\n']
/** How many bytes of such an end may have come with the piece before. */
const SEAM_BYTES = 2
/** A longer event comes in pieces, so that no answer fills the memory; none that matters is as long. */
const LONGEST_EVENT = 16_777_216

/**
 * The bytes of an event stream, held back until their event is whole. If the stream is cut in the middle of one, its half does
 * not come: the client would read the error event after it as a part of it.
 */
export async function* wholeEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let seam = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes = Buffer.concat([seam, chunk])
    const whole = endOfLastEvent(bytes) - seam.length
    if (whole > 0) {
      yield* held
      yield chunk.subarray(0, whole)
      held = []
      heldBytes = 0
    }
    const rest = chunk.subarray(Math.max(whole, 0))
    if (rest.length > 0) held.push(rest)
    heldBytes += rest.length
    if (heldBytes > LONGEST_EVENT) {
      yield* held
      held = []
    }
    seam = bytes.subarray(-SEAM_BYTES)
  }
  yield* held
}

function endOfLastEvent(bytes: Buffer): number {
  return Math.max(
    ...BLANK_LINES.map(blank => {
      const at = bytes.lastIndexOf(blank)
      return at < 0 ? 0 : at + blank.length
    }),
  )
}
