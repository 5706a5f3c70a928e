import { APOSTROPHE, folded, KIND } from './characters.ts'
import { NUMBER, UNKNOWN } from './tokens.ts'

/** A hash table of words that can look up part of a text without copying it. */
export class WordIndex {
  // Public fields on purpose: private ones cost a check on every access.
  readonly words: readonly string[]
  readonly hashes: Int32Array
  /** Open addressing: a slot holds a word number; 0 is free. */
  readonly slots: Int32Array

  /** @param words folded, indexed by their number; the first two are reserved (see tokens.ts) */
  constructor(words: readonly string[]) {
    this.words = words
    this.hashes = Int32Array.from(words, word => hashOf(word, 0, word.length))
    let size = 1_024
    while (size < words.length * 4) size *= 2
    this.slots = new Int32Array(size)
    for (let id = NUMBER + 1; id < words.length; id++) this.place(id)
  }

  find(hash: number, text: string, start: number, end: number): number {
    const { slots, hashes } = this
    const mask = slots.length - 1
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot] as number
      if (id === UNKNOWN) return UNKNOWN
      if (hashes[id] === hash && isSameWord(this.words[id] as string, text, start, end)) return id
    }
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
    const code = text.charCodeAt(at)
    if (KIND[code] !== APOSTROPHE) hash = (Math.imul(hash, 31) + folded(code)) | 0
  }
  return hash
}

function isSameWord(word: string, text: string, start: number, end: number): boolean {
  let at = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (KIND[code] === APOSTROPHE) continue
    if (at >= word.length || word.charCodeAt(at) !== folded(code)) return false
    at++
  }
  return at === word.length
}
