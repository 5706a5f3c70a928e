import { readFileSync } from 'node:fs'

// Texts by which redaction is graded: `src/failure/secret/graded/`. The secrets in them are made here, so that no file holds a key.

/** A text, and the secrets in it; none for an ordinary text. */
export interface GradedText {
  group: string
  line: string
  text: string
  secrets: string[]
}

const ALPHABETS: Readonly<Record<string, string>> = {
  h: '0123456789abcdef',
  H: '0123456789ABCDEF',
  d: '0123456789',
  l: 'abcdefghijklmnopqrstuvwxyz0123456789',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  w: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
}

/** @param seed another one makes other secrets of the same forms */
export function gradedTexts(file: string, seed = 1): GradedText[] {
  const lines = readFileSync(
    new URL(`../src/failure/secret/graded/${file}.txt`, import.meta.url),
    'utf8',
  ).split('\n')
  return lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map((line, at) => {
      const [group, marked] = file === 'vendors' ? (line.split('\t', 2) as [string, string]) : [file, line]
      return { group, line, ...filled(marked, seed * 7919 + at) }
    })
}

function filled(marked: string, seed: number): { text: string; secrets: string[] } {
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const random = (kind: string, length: number) =>
    Array.from({ length }, () => (ALPHABETS[kind] as string)[next((ALPHABETS[kind] as string).length)]).join(
      '',
    )
  const whole = marked
    .replace(/\{g\}/g, () => [8, 4, 4, 4, 12].map(length => random('h', length)).join('-'))
    .replace(/\{([hHdluawb])(\d+)\}/g, (_, kind: string, length: string) => random(kind, Number(length)))
    .replace(/⏎/g, '\n')
    .replace(/⇥/g, '\t')
    .replace(/␛/g, '\u001b')
  return {
    text: whole.replace(/[«»]/g, ''),
    secrets: [...whole.matchAll(/«([^»]+)»/g)].map(match => match[1] as string),
  }
}

/** How many characters of a secret in a row are a leak. */
const LEAK = 8

/** True if a part of one of the secrets can still be read. */
export function leaks(clean: string, { secrets }: GradedText): boolean {
  return secrets.some(secret => {
    // The prefix says whose key it is, and may stay.
    const body = secret.length > 24 ? secret.slice(-16) : secret
    for (let at = 0; at + Math.min(LEAK, body.length) <= body.length; at++)
      if (clean.includes(body.slice(at, at + LEAK))) return true
    return false
  })
}
