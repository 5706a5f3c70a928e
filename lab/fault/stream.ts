import type { StreamFault } from './fault.ts'

/** The vendor fails after its 200: there is no failure status, and SDKs throw an error without one. */
export const IN_STREAM = {
  stream_overloaded: {
    does: 'refuse in stream',
    of: 'overloaded',
    summary: 'an error event inside a 200 stream: no capacity',
    expected: { class: 'transient', kind: 'overloaded' },
  },
  stream_rate_limit: {
    does: 'refuse in stream',
    of: 'rate_limit',
    summary: 'an error event inside a 200 stream: too many tokens',
    expected: { class: 'throttle', kind: 'rate_limit' },
  },
  stream_server_error: {
    does: 'refuse in stream',
    of: 'server_error',
    summary: 'an error event inside a 200 stream: internal error',
    expected: { class: 'transient', kind: 'server_error' },
  },
} satisfies Record<string, StreamFault>
