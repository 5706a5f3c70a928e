import type { ProbeResult } from '../provider/probe.ts'
import { jsonWriter } from './json-writer.ts'
import { probe, provider } from './provider.ts'

/** The state of a provider in JSON. */
export const providerToJson = jsonWriter(provider)

const writeProbe = jsonWriter(probe)

/** How a probe ended. */
export function probeToJson(result: ProbeResult) {
  return writeProbe({ ...result, durationMs: Math.round(result.durationMs) })
}
