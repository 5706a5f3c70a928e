import { seeded } from './measure.ts'
import { PHRASES, SIGNATURES } from './patterns.ts'

const WORDS =
  'the agent wrote three files and then checked them again while the build was running in a second window where nothing happened for some minutes until the reader looked at what had been printed so far and found that line after line said only which module came next'.split(
    ' ',
  )

/** A log of about this many characters in which the given phrases stand, spread evenly. */
function logWith(size: number, planted: readonly string[], seed: number): string {
  const random = seeded(seed)
  const every = planted.length > 0 ? size / planted.length : Infinity
  let text = ''
  let next = 0
  while (text.length < size) {
    if (next < planted.length && text.length >= next * every) text += `, ${planted[next++]},`
    text += `${random() < 0.12 ? '\n' : ' '}${WORDS[Math.floor(random() * WORDS.length)]}`
  }
  return text.slice(0, size)
}

/** Words that make a phrase match: the first alternative of each group, nothing in gaps. */
function spoken(phrase: string): string {
  return phrase
    .replaceAll(/\(([^()]*)\)/g, (_, group: string) => group.split('|')[0] as string)
    .replaceAll(/…+/g, ' ')
    .replaceAll('#', '7')
}

function spokenSignature(signature: string): string {
  return signature
    .replaceAll(/\(([^()|]*)\|[^()]*\)/g, '$1')
    .replaceAll(String.raw`\d+`, '42')
    .replaceAll(String.raw`\s+`, ' ')
    .replaceAll('.*', ' ')
    .replaceAll('.?', '-')
    .replaceAll('[a-z]+', 'worker')
}

export interface BenchText {
  name: string
  text: string
}

/** No-hit, few-hit (three) and many-hit (as many as fit, a quarter of all at 64 KB) texts of a size. */
export function textsOf(size: number): BenchText[] {
  const quarter = [
    // A person's regular expression does not count CJK characters as words, so those are not planted.
    ...PHRASES.filter((phrase, i) => i % 4 === 0 && /^[\x00-\x7f…’]*$/.test(phrase)).map(spoken),
    ...SIGNATURES.filter((_, i) => i % 4 === 0).map(spokenSignature),
  ]
  const many: string[] = []
  let room = size * 0.8
  for (const phrase of quarter) {
    room -= phrase.length + 3
    if (room < 0) break
    many.push(phrase)
  }
  const few = [
    spoken(PHRASES[7] as string),
    spoken(PHRASES[70] as string),
    spokenSignature(SIGNATURES[9] as string),
  ]
  return [
    { name: 'no hit', text: logWith(size, [], 1) },
    { name: 'few hits', text: logWith(size, few, 2) },
    { name: 'many hits', text: logWith(size, many, 3) },
  ]
}
