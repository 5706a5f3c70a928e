import { parse } from 'smol-toml'
import type { Login } from './cli.ts'
import { amountIn, type Fields, objectIn, textIn } from './fields.ts'

/** The contents of a JSON settings file; empty if it cannot be parsed. */
export function jsonFile(text: string | undefined): Fields {
  try {
    return objectIn(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

/** The contents of a TOML file; undefined if it is broken or missing. */
export function tomlFile(text: string | undefined): Fields | undefined {
  try {
    return text === undefined ? undefined : objectIn(parse(text))
  } catch {
    return undefined
  }
}

/**
 * An OAuth login in a file, as Gemini CLI and Qwen Code keep it. With a refresh token it renews itself; without one it expires
 * with its access token.
 */
export function oauthLogin(text: string, now: number): Login {
  const file = jsonFile(text)
  if (textIn(file.refresh_token) !== undefined) return { state: 'present', by: 'login' }
  if (textIn(file.access_token) === undefined)
    return { state: 'missing', why: 'its login file contains no login' }
  const end = amountIn(file.expiry_date)
  if (end === undefined) return { state: 'unsure', why: 'its login file does not say when it expires' }
  return end > now ? { state: 'present', by: 'login' } : { state: 'missing', why: 'its login has expired' }
}

/** True for a variable with a non-blank value. */
export function isGiven(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
