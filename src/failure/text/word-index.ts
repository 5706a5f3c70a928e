import { APOSTROPHE, codeAt, folded, KIND } from './characters.ts'
import { NUMBER, UNKNOWN } from './tokens.ts'

const SPACE = 32

/** So many words are looked up by their text, before they are hashed for good. */
const EARLY = 400

/**
 * A hash table of words that can look up part of a text without copying it. It is made after the first few texts, because the first
 * failure would wait for it; they are looked up by copies.
 */
export class WordIndex {
  // Public fields on purpose: private ones cost a check on every access.
  readonly words: string
  readonly count: number
  /** By word number: where the word begins in {@link words}. It ends before the space before the next. */
  starts = new Int32Array()
  hashes = new Int32Array()
  /** Open addressing: a slot holds a word number; 0 is free. Empty before the table is made. */
  slots = new Int32Array()
  early: Map<string, number> | undefined
  left = EARLY

  /** @param words folded, separated by spaces; the first two are reserved (see tokens.ts) */
  constructor(words: string, count: number) {
    this.words = words
    this.count = count
  }

  find(hash: number, text: string, start: number, end: number): number {
    if (this.left > 0) return this.findEarly(text, start, end)
    const { slots, hashes } = this
    const mask = slots.length - 1
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot] as number
      if (id === UNKNOWN) return UNKNOWN
      if (hashes[id] === hash && this.isAt(id, text, start, end)) return id
    }
  }

  findEarly(text: string, start: number, end: number): number {
    this.early ??= new Map(this.words.split(' ').map((word, id) => [word, id]))
    let word = ''
    for (let at = start; at < end; at++) {
      const code = codeAt(text, at)
      if (KIND[code] !== APOSTROPHE) word += String.fromCharCode(folded(code))
    }
    const id = this.early.get(word) ?? UNKNOWN
    if (--this.left === 0) this.fill()
    return id > NUMBER ? id : UNKNOWN
  }

  /** Reads the words in one pass without taking them apart. */
  fill(): void {
    const { words, count } = this
    this.early = undefined
    this.starts = new Int32Array(count + 1)
    this.hashes = new Int32Array(count)
    let size = 1_024
    while (size < count * 4) size *= 2
    this.slots = new Int32Array(size)
    let id = 0
    let hash = 0
    for (let at = 0; at <= words.length; at++) {
      const code = at < words.length ? codeAt(words, at) : SPACE
      if (code !== SPACE) {
        hash = (Math.imul(hash, 31) + code) | 0
        continue
      }
      this.hashes[id] = hash
      if (id > NUMBER) this.place(id)
      this.starts[++id] = at + 1
      hash = 0
    }
  }

  /** True if a text has this word from `start` to `end`. */
  isAt(id: number, text: string, start: number, end: number): boolean {
    const { words, starts } = this
    const stop = (starts[id + 1] as number) - 1
    let at = starts[id] as number
    for (let i = start; i < end; i++) {
      const code = codeAt(text, i)
      if (KIND[code] === APOSTROPHE) continue
      if (at >= stop || codeAt(words, at) !== folded(code)) return false
      at++
    }
    return at === stop
  }

  place(id: number): void {
    const mask = this.slots.length - 1
    let slot = spread(this.hashes[id] as number) & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    this.slots[slot] = id
  }
}

function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}

/** The hash of a word in its folded form. */
export function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) {
    const code = codeAt(text, at)
    if (KIND[code] !== APOSTROPHE) hash = (Math.imul(hash, 31) + folded(code)) | 0
  }
  return hash
}
