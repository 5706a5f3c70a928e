import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './variables.ts'

/** Where the telemetry of Gemini CLI, or of its fork Qwen Code, may already be configured. */
export interface TelemetryPlaces {
  /** Prefix of its variables. */
  prefix: 'GEMINI' | 'QWEN'
  /** Its folder, in the user's home and in a project. */
  folder: '.gemini' | '.qwen'
  /** Settings of the whole machine. */
  system: readonly string[]
}

/** Variables that send the telemetry to this file only, without prompts; undefined if it is already configured. */
export function telemetryInto(
  file: string,
  { env, cwd }: { env: Environment; cwd: string },
  places: TelemetryPlaces,
): Readonly<Record<string, string>> | undefined {
  if (isSetUp(env, cwd, places)) return undefined
  const { prefix } = places
  return {
    [`${prefix}_TELEMETRY_ENABLED`]: 'true',
    [`${prefix}_TELEMETRY_TARGET`]: 'local',
    [`${prefix}_TELEMETRY_OUTFILE`]: file,
    [`${prefix}_TELEMETRY_LOG_PROMPTS`]: 'false',
  }
}

function isSetUp(env: Environment, cwd: string, { prefix, folder, system }: TelemetryPlaces): boolean {
  const ours = new RegExp(`^(?:${prefix}_TELEMETRY_|OTEL_EXPORTER_)`)
  if (Object.entries(env).some(([name, value]) => ours.test(name) && value !== undefined)) return true
  const homes = [env[`${prefix}_HOME`] ?? '', join(env.HOME || homedir(), folder), join(cwd, folder)]
  const files = homes.filter(home => home !== '').flatMap(home => [`${home}/settings.json`, `${home}/.env`])
  return [...files, join(cwd, '.env'), ...system].some(path => /telemetry/i.test(textOf(path)))
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
