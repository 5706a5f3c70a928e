import { META, REVISION, SESSION_REVISIONS } from '../era.ts'
import { type Greeting, serverInfoOf } from './connection.ts'
import type { Client } from './upstream.ts'

/** A server's greeting as JSON text, in the form of the client's era. */
export function greetingFor(greeting: Greeting, client: Client): string {
  return JSON.stringify(client.era === greeting.era ? greeting.result : translated(greeting, client))
}

function translated(greeting: Greeting, { era, revision }: Client): Record<string, unknown> {
  const { capabilities = {}, instructions } = greeting.result
  const more = instructions === undefined ? {} : { instructions }
  const info = serverInfoOf(greeting)
  if (era === 'session')
    return {
      protocolVersion:
        revision !== undefined && SESSION_REVISIONS.includes(revision) ? revision : REVISION.session,
      capabilities,
      serverInfo: { name: 'unknown', version: '0', ...info },
      ...more,
    }
  // Tasks of the session era are not the extension of that name.
  const { tasks: _, ...known } = capabilities as Record<string, unknown>
  return {
    supportedVersions: [REVISION.stateless],
    capabilities: known,
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META.serverInfo]: info },
    ...more,
  }
}

/** Whether a cached greeting can be given to this client. */
export function fits({ era, result }: Greeting, client: Client): boolean {
  return era !== 'session' || client.era !== 'session' || result.protocolVersion === client.revision
}
