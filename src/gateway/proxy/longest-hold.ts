import { heartbeatOf, type StreamKind } from './in-vendor-words.ts'

/** How long a question may wait, in milliseconds. */
export interface LongestHold {
  /** For a provider that does not say when it serves again, and beyond the end that a limit states. */
  anyMs: number
  /** In all, for limits that state their end. */
  statedMs: number
  /** Whether the client gives up then, and waits better by itself. */
  isOfClient: boolean
}

/** Programs wait ten minutes for an answer: the default of the SDKs of OpenAI and Anthropic. */
const MINUTES_10 = 600_000
/** A window of a plan lifts within five hours. */
const HOURS_6 = 6 * 3_600_000
/** Agent CLIs that wait on as long as their stream shows signs of life. */
const PATIENT = ['claude', 'codex', 'opencode']

/**
 * How long a client's question may wait.
 * @param stream what the client waits in
 * @param maxHoldMs what the config says
 * @param patienceMs how long the client bears to hear nothing
 */
export function longestHoldOf(
  client: string,
  stream: StreamKind | undefined,
  maxHoldMs: number | undefined,
  patienceMs = Infinity,
): LongestHold {
  const hears = stream && heartbeatOf(stream) !== undefined
  const anyMs = maxHoldMs ?? MINUTES_10
  if (!hears && patienceMs < anyMs) return { anyMs: patienceMs, statedMs: patienceMs, isOfClient: true }
  const isPatient = maxHoldMs === undefined && hears && PATIENT.includes(client)
  return { anyMs, statedMs: isPatient ? HOURS_6 : anyMs, isOfClient: false }
}
