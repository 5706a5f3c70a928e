import { closeSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { quietly } from '../../time/clean-up.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit of the first word gives the byte order of the checksums: 1 is big-endian. */
const MAGIC = 0x377f0682
/** Frames to read at once: half a megabyte with the usual page size. */
const FRAMES_AT_ONCE = 256
/** How often to look before frames that do not fit are damage: another process writes meanwhile. */
const LOOKS = 3
/** Looks that another process made void, because it restarted the log; one that does so more often is left alone. */
const MOST_RESTARTS = 1_000

/**
 * What is wrong with the write-ahead log of an open ledger; undefined if it is intact. SQLite verifies the log only
 * when it opens a file: if something else overwrites the log later, the damage is moved into the file when the last
 * connection closes. Every frame has a checksum over everything before it, so one pass finds the first damaged frame.
 *
 * @param file the ledger's path, links resolved
 */
export function logDamage(db: DatabaseSync, file: string): string | undefined {
  const log = `${file}-wal`
  for (let look = 1, restarts = 0; restarts < MOST_RESTARTS; ) {
    const salts = saltsOf(log)
    const frames = framesIn(db)
    if (frames.needed === 0) return undefined
    const whole = wholeFrames(log, frames.all)
    if (whole === frames.all) return undefined
    if (saltsOf(log) !== salts) {
      restarts++
      continue
    }
    if (look++ < LOOKS) continue
    return `${basename(file)}-wal was overwritten or cut off while the ledger was open: of the last ${frames.all} pages written, ${whole} are intact`
  }
  return undefined
}

/** What tells a log from the one before it in the same file. */
function saltsOf(log: string): string {
  const descriptor = openSync(log, 'r')
  try {
    const salts = Buffer.alloc(8)
    readSync(descriptor, salts, 0, salts.length, 16)
    return salts.toString('hex')
  } finally {
    void quietly(() => closeSync(descriptor))
  }
}

/** How many frames the log has, and how many of them are not yet in the file. */
function framesIn(db: DatabaseSync): { all: number; needed: number } {
  // Older versions ignore the word NOOP and move the log into the file.
  if (!knowsNoop(process.versions.sqlite)) return { all: 0, needed: 0 }
  const { log, checkpointed } = db.prepare('PRAGMA wal_checkpoint(NOOP)').get() as Record<string, number>
  return { all: log as number, needed: (log as number) - (checkpointed as number) }
}

/** Whether this SQLite can report the length of its log without doing anything: since 3.51. */
function knowsNoop(version = '0.0'): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}

/** How many of the first `expected` frames are intact. */
function wholeFrames(log: string, expected: number): number {
  const descriptor = openSync(log, 'r')
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return 0
    const magic = header.readUInt32BE(0)
    if (magic !== MAGIC && magic !== MAGIC + 1) return 0
    const sum = new Checksum(magic === MAGIC)
    sum.add(header, 0, HEADER_BYTES - 8)
    if (!sum.isAt(header, HEADER_BYTES - 8)) return 0
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8)
    const frames = Buffer.alloc(FRAMES_AT_ONCE * frameBytes)
    for (let whole = 0; whole < expected; ) {
      const bytes = readSync(descriptor, frames, 0, frames.length, HEADER_BYTES + whole * frameBytes)
      for (let at = 0; at < frames.length && whole < expected; at += frameBytes, whole++) {
        if (at + frameBytes > bytes) return whole
        const isOfThisLog = frames.compare(header, 16, 24, at + 8, at + 16) === 0
        sum.add(frames, at, at + 8)
        sum.add(frames, at + FRAME_HEADER_BYTES, at + frameBytes)
        if (!isOfThisLog || !sum.isAt(frames, at + 16)) return whole
      }
    }
    return expected
  } finally {
    void quietly(() => closeSync(descriptor))
  }
}

/** The running checksum of the log, as SQLite's file format defines it. */
class Checksum {
  readonly #isLittle: boolean
  #a = 0
  #b = 0

  constructor(isLittle: boolean) {
    this.#isLittle = isLittle
  }

  /** Adds the bytes from `start` to `end`, a multiple of 8. */
  add(bytes: Buffer, start: number, end: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let [a, b] = [this.#a, this.#b]
    for (let at = start; at < end; at += 8) {
      a = (a + view.getUint32(at, this.#isLittle) + b) >>> 0
      b = (b + view.getUint32(at + 4, this.#isLittle) + a) >>> 0
    }
    this.#a = a
    this.#b = b
  }

  /** Whether the checksum equals the stored one. */
  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#a && bytes.readUInt32BE(at + 4) === this.#b
  }
}
