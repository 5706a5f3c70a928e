import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const kindOf = (input: unknown) => classify(input)?.kind

describe('what is used up', () => {
  it.each([
    ['You have used 100% of your included minutes', 'usage_limit'],
    ['Your team has used 100 % of its monthly allowance.', 'usage_limit'],
    ['0 of 500 credits left', 'quota'],
    ['0 prompts remaining', 'quota'],
    ['too many requests from your IP', 'rate_limit'],
    ['Your balance is $0.00', 'billing'],
  ])('is a throttle: %s', (said, kind) => {
    expect(classify(said)).toMatchObject({ class: 'throttle', kind })
  })

  it.each([
    'You have used 80% of your included minutes',
    'You have used 100 of your 500 messages',
    '10 of 500 credits left',
    '0.5 credits left',
  ])('is not what still has something left: %s', said => {
    expect(kindOf(said)).toBe('unknown')
  })
})

describe('an MCP server that closed the connection', () => {
  const closed = Object.assign(new Error('MCP error -32000: Connection closed'), {
    name: 'McpError',
    code: -32000,
  })

  it('may answer the next call, and may have done this one', () => {
    expect(classify(closed)).toMatchObject({ class: 'transient', kind: 'network', effect: 'maybe' })
  })

  it('is not recognised by the number alone', () => {
    const other = Object.assign(new Error('MCP error -32000: tea is cold'), {
      name: 'McpError',
      code: -32000,
    })
    expect(kindOf(other)).toBe('unknown')
  })
})

describe('credits that come back by themselves', () => {
  it('are a limit, not money', () => {
    const message =
      'Not enough credits: 2101 required, 1001 left. In 0:01:14 minutes you will have enough credits'
    expect(classify(new Error(message))).toMatchObject({ class: 'throttle', kind: 'quota' })
    expect(classify(new Error('Not enough credits: 2101 required, 1001 left'))?.kind).toBe('billing')
  })
})

describe('a program that a login needs', () => {
  it('is what is missing', () => {
    const stderr =
      'error getting credentials - err: exec: "docker-credential-x": executable file not found in $PATH'
    expect(classify({ exitCode: 1, signal: null, stdout: '', stderr })?.kind).toBe('binary_not_found')
  })
})
