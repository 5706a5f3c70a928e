import { heartbeatOf, type StreamKind } from './in-vendor-words.ts'

/** How long a question may wait, in milliseconds. */
export interface LongestHold {
  /** For a provider that does not say when it serves again, and beyond the end that a limit states. */
  anyMs: number
  /** In all, for limits that state their end. */
  statedMs: number
}

/** Programs wait ten minutes for an answer: the default of the SDKs of OpenAI and Anthropic. */
const MINUTES_10 = 600_000
/** A window of a plan lifts within five hours. */
const HOURS_6 = 6 * 3_600_000
/** Agent CLIs that wait on as long as their stream shows signs of life. */
const PATIENT = ['claude', 'codex', 'opencode']

/** How long a client's question may wait. @param stream what the client waits in @param maxHoldMs what the config says */
export function longestHoldOf(
  client: string,
  stream: StreamKind | undefined,
  maxHoldMs: number | undefined,
): LongestHold {
  if (maxHoldMs !== undefined) return { anyMs: maxHoldMs, statedMs: maxHoldMs }
  const isPatient = stream && heartbeatOf(stream) !== undefined && PATIENT.includes(client)
  return { anyMs: MINUTES_10, statedMs: isPatient ? HOURS_6 : MINUTES_10 }
}
