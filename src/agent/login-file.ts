import { parse } from 'smol-toml'
import type { Login } from './cli.ts'
import { amountIn, type Fields, objectIn, textIn } from './fields.ts'

/** What a file of settings says; nothing where it cannot be read as what it should be. */
export function jsonFile(text: string | undefined): Fields {
  try {
    return objectIn(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

/** The same for TOML; undefined where it is broken or not there. */
export function tomlFile(text: string | undefined): Fields | undefined {
  try {
    return text === undefined ? undefined : objectIn(parse(text))
  } catch {
    return undefined
  }
}

/**
 * A login that OAuth left in a file, as Gemini CLI and Qwen Code keep it. With a refresh token it renews itself, without
 * one it is over when its access token is.
 */
export function oauthLogin(text: string, now: number): Login {
  const file = jsonFile(text)
  if (textIn(file.refresh_token) !== undefined) return { state: 'present', by: 'login' }
  if (textIn(file.access_token) === undefined)
    return { state: 'missing', why: 'its login file holds no login' }
  const end = amountIn(file.expiry_date)
  if (end === undefined) return { state: 'unsure', why: 'its login file does not say how long it holds' }
  return end > now ? { state: 'present', by: 'login' } : { state: 'missing', why: 'its login has expired' }
}

/** True for a variable with something in it. */
export function isGiven(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
