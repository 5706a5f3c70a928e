import { APOSTROPHE, FOLDED, KIND } from './characters.ts'
import { UNKNOWN } from './tokens.ts'

/** A hash table of words that can be asked for a part of a text without cutting it out. */
export class WordIndex {
  // Fields are public within this module's reach on purpose: private ones cost a check on each access.
  words: string[] = ['', '#']
  hashes: number[] = [0, 0]
  /** Open addressing: a slot holds the number of the word whose hash leads to it, 0 is free. */
  slots = new Int32Array(1024)

  intern(word: string): number {
    const hash = hashOf(word, 0, word.length)
    const known = this.find(hash, word, 0, word.length)
    if (known !== UNKNOWN) return known
    const id = this.words.push(word) - 1
    this.hashes.push(hash)
    if (this.words.length * 4 > this.slots.length) this.resize()
    else this.place(id)
    return id
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

  resize(): void {
    this.slots = new Int32Array(this.slots.length * 2)
    for (let id = 2; id < this.words.length; id++) this.place(id)
  }
}

function spread(hash: number): number {
  return hash ^ (hash >>> 15)
}

/** Hash of a word in its folded form. */
export function hashOf(text: string, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (KIND[code] !== APOSTROPHE) hash = (Math.imul(hash, 31) + (FOLDED[code] as number)) | 0
  }
  return hash
}

function isSameWord(word: string, text: string, start: number, end: number): boolean {
  let at = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (KIND[code] === APOSTROPHE) continue
    if (at >= word.length || word.charCodeAt(at) !== FOLDED[code]) return false
    at++
  }
  return at === word.length
}
