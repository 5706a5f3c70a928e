import { describe, expect, it } from 'vitest'
import { parseArguments, UsageError } from './arguments.ts'

const SPEC = {
  usage: 'mulligan test',
  options: {
    retries: { type: 'string' },
    'http-port': { type: 'string' },
    'http-address': { type: 'string' },
    json: { type: 'boolean' },
  },
} as const

describe('an unknown flag', () => {
  it.each([
    ['--retreis', '--retries'],
    ['--retry', '--retries'],
    ['--jsn', '--json'],
    ['--port', '--http-port'],
    ['--address', '--http-address'],
  ])('%s is answered with %s', (given, meant) => {
    expect(() => parseArguments([given], SPEC)).toThrow(
      new UsageError(`unknown option ${given}; did you mean ${meant}?`),
    )
  })

  it.each(['--http', '--colour'])('%s, which could mean several or none, is only named', given => {
    expect(() => parseArguments([given], SPEC)).toThrow(new UsageError(`unknown option ${given}`))
  })
})

describe('a negative number', () => {
  it('is the value of the flag before it, not a flag', () => {
    expect(parseArguments(['--retries', '-1'], SPEC).values).toEqual({ retries: '-1' })
  })
})

describe('a flag without its value, or with one it does not take,', () => {
  it.each([
    [['--retries', '--json'], '--retries needs a value; one that begins with "-" is written --retries=-…'],
    [['--retries', '--'], '--retries needs a value; one that begins with "-" is written --retries=-…'],
    [['--retries'], '--retries needs a value'],
    [['--json=yes'], '--json takes no value'],
  ])('%j is answered in one sentence', (given, words) => {
    expect(() => parseArguments(given, SPEC)).toThrow(new UsageError(words))
  })
})
