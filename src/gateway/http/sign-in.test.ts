import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { CODE_VALID_MS, SIGNED_IN_MS, SignIn } from './sign-in.ts'

const time = new FakeTime()
const signIn = () => new SignIn({ time, randomBytes })

it('accepts a code once, in upper or lower case, with or without its dash', () => {
  const door = signIn()
  for (const written of [(code: string) => code, (code: string) => code.toLowerCase().replace('-', ' ')]) {
    const { code } = door.newCode()
    expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    expect(door.redeem(written(code))).toBeDefined()
    expect(door.redeem(written(code))).toBeUndefined()
  }
})

it('refuses a code older than a minute', () => {
  const door = signIn()
  const { code } = door.newCode()
  time.jump(CODE_VALID_MS + 1)
  expect(door.redeem(code)).toBeUndefined()
})

it('keeps a browser signed in for a working day, or until it signs out', () => {
  const door = signIn()
  const enter = () => door.redeem(door.newCode().code)?.id as string
  const [stays, leaves] = [enter(), enter()]
  expect(door.browserOf(stays)?.csrf).not.toBe(door.browserOf(leaves)?.csrf)
  door.end(leaves)
  expect(door.browserOf(leaves)).toBeUndefined()
  time.jump(SIGNED_IN_MS)
  expect(door.browserOf(stays)).toBeUndefined()
})

it('forgets all codes after five wrong ones, and counts anew', () => {
  const door = signIn()
  const { code } = door.newCode()
  for (let times = 0; times < 5; times++) expect(door.redeem('0000-0000')).toBeUndefined()
  expect(door.redeem(code)).toBeUndefined()
  const next = door.newCode().code
  expect(door.redeem('0000-0000')).toBeUndefined()
  expect(door.redeem(next)).toBeDefined()
})

it('forgets the oldest of many codes', () => {
  const door = signIn()
  const codes = Array.from({ length: 11 }, () => door.newCode().code)
  expect(door.redeem(codes[0] as string)).toBeUndefined()
  expect(door.redeem(codes[1] as string)).toBeDefined()
})
