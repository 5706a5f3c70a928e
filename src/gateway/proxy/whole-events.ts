/** What ends an event. */
const BLANK_LINES = ['\n\n', '\n\r\n']
/** How many bytes of such an end may have come with the piece before. */
const SEAM_BYTES = 2
/** A longer event comes in pieces, so that no answer fills the memory; none that matters is as long. */
const LONGEST_EVENT = 16_777_216
const NOTHING = Buffer.alloc(0)
const LINE_END = 0x0a

/**
 * The bytes of an event stream, held back until their event is whole. If the stream is cut in the middle of one, its half does
 * not come: the client would read the error event after it as a part of it.
 */
export class WholeEvents {
  #held: Uint8Array[] = []
  #heldBytes = 0
  #seam = NOTHING

  /** What may be passed on once this piece has come. */
  take(piece: Uint8Array): readonly Uint8Array[] {
    // Nearly every piece is an event, or some.
    if (this.#heldBytes === 0 && piece.at(-1) === LINE_END && piece.at(-2) === LINE_END) {
      this.#seam = NOTHING
      return [piece]
    }
    const bytes = Buffer.concat([this.#seam, piece])
    const whole = endOfLastEvent(bytes) - this.#seam.length
    this.#seam = bytes.subarray(-SEAM_BYTES)
    const passed = whole > 0 ? [...this.#release(), piece.subarray(0, whole)] : []
    const rest = piece.subarray(Math.max(whole, 0))
    if (rest.length > 0) this.#held.push(rest)
    this.#heldBytes += rest.length
    return this.#heldBytes > LONGEST_EVENT ? [...passed, ...this.#release()] : passed
  }

  /** What is left at the end of the stream. */
  rest(): readonly Uint8Array[] {
    return this.#release()
  }

  #release(): Uint8Array[] {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    return held
  }
}

function endOfLastEvent(bytes: Buffer): number {
  return Math.max(
    ...BLANK_LINES.map(blank => {
      const at = bytes.lastIndexOf(blank)
      return at < 0 ? 0 : at + blank.length
    }),
  )
}
