import { family } from '../rule.ts'

/** Go: the message tells the phase. */
export default family('go', {
  name: {
    kind: 'dns',
    rank: 'named',
    effect: 'none',
    why: 'the name server does not answer, or answers garbage',
    when: { says: ['lookup … server misbehaving', 'lookup … i o timeout', 'lookup … no such host'] },
    example: 'dial tcp: lookup api.example.com on 192.0.2.53:53: server misbehaving',
  },
  stream: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'the stream was closed during the answer',
    when: {
      says: ['http2 stream closed', 'http2 client connection lost', 'http2 client connection force closed'],
    },
    example: 'http2: stream closed',
  },
})
