interface Constants {
  readonly rounds: Uint32Array
  readonly start: Uint32Array
}

let made: Constants | undefined

/** The constants come from the first 64 primes: fractions of their cube roots, and of the first 8 square roots. */
function constants(): Constants {
  const first = primes(64)
  return {
    rounds: Uint32Array.from(first, prime => fraction(Math.cbrt(prime))),
    start: Uint32Array.from(first.slice(0, 8), prime => fraction(Math.sqrt(prime))),
  }
}

/**
 * SHA-256 of a text, in hexadecimal. Implemented here because code on the path of a call must also run without Node's modules,
 * and Web Crypto is asynchronous.
 */
export function sha256(text: string): string {
  made ??= constants()
  const state = made.start.slice()
  const schedule = new Uint32Array(64)
  const message = padded(new TextEncoder().encode(text))
  for (let at = 0; at < message.byteLength; at += 64) mix(state, made.rounds, schedule, message, at)
  return Array.from(state, word => word.toString(16).padStart(8, '0')).join('')
}

/** A one bit, zeros, and the length in bits, padded to blocks of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n)
  return view
}

function mix(
  state: Uint32Array,
  rounds: Uint32Array,
  schedule: Uint32Array,
  message: DataView,
  at: number,
): void {
  for (let i = 0; i < 16; i++) schedule[i] = message.getUint32(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const [early, late] = [word(schedule, i - 15), word(schedule, i - 2)]
    const small0 = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const small1 = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    schedule[i] = word(schedule, i - 16) + small0 + word(schedule, i - 7) + small1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const large1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const first = (h + large1 + ((e & f) ^ (~e & g)) + word(rounds, i) + word(schedule, i)) >>> 0
    const large0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0]
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = word(state, i) + value
}

function word(words: Uint32Array, at: number): number {
  return words[at] as number
}

function turned(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by))
}

function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every(prime => candidate % prime !== 0)) found.push(candidate)
  return found
}
