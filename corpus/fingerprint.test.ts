import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inputOf, parseCorpus } from '../src/cli/corpus.ts'
import { classify } from '../src/failure/classify.ts'
import type { Failure } from '../src/failure/failure.ts'
import { proposeSignature } from '../src/unknown/propose.ts'
import { varied } from '../src/unknown/test-variants.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const failures = readdirSync(folder)
  .filter(name => name.endsWith('.jsonl'))
  .flatMap(name => parseCorpus(readFileSync(`${folder}${name}`, 'utf8'), name))
  .flatMap(entry => {
    const failure = classify(...inputOf(entry, { withProvider: true }))
    return failure ? [{ failure, label: entry.label.class, text: failure.text ?? failure.message }] : []
  })
const of = (text: string) => (classify(text) as Failure).fingerprint

describe('fingerprints over the corpus', () => {
  it('group a failure with itself when ids, times, paths and numbers are others', () => {
    const variants = failures.flatMap(({ failure: { message } }) =>
      [1, 2].map(seed => [message, varied(message, seed)] as const).filter(([a, b]) => a !== b),
    )
    const same = variants.filter(([a, b]) => of(a) === of(b)).length
    console.info(`grouped: ${same} of ${variants.length}`)
    expect(variants.length).toBeGreaterThan(500)
    expect(same / variants.length).toBeGreaterThan(0.9)
  })

  it('keep 200 different failures apart', () => {
    const distinct = [...new Map(failures.map(one => [one.failure.message.toLowerCase(), one])).values()]
    const step = Math.floor(distinct.length / 200)
    const chosen = Array.from({ length: 200 }, (_, index) => distinct[index * step]?.failure.message ?? '')
    const prints = new Set(chosen.map(of))
    console.info(`apart: ${prints.size} of 200`)
    expect(prints.size).toBeGreaterThanOrEqual(195)
  })
})

describe('signatures proposed from the corpus', () => {
  // The patterns mean the same to RegExp, which tries two million pairs in less time.
  it('find their own sample, and hardly ever a failure of another class', () => {
    const proposed = failures.flatMap(one => {
      const { pattern } = proposeSignature([one.failure])
      return pattern === undefined ? [] : [{ ...one, regex: new RegExp(pattern, 'i') }]
    })
    let wrong = 0
    for (const { regex, text, label, failure } of proposed) {
      expect(regex.test(text)).toBe(true)
      const meets = failures.some(
        other =>
          other.label !== label &&
          other.failure.fingerprint !== failure.fingerprint &&
          regex.test(other.text),
      )
      if (meets) wrong++
    }
    console.info(`proposed: ${proposed.length} of ${failures.length}; meets another class: ${wrong}`)
    expect(wrong / proposed.length).toBeLessThan(0.02)
  })
})
