import { family } from '../rule.ts'

const status = (code: number, name: string, details: string) =>
  Object.assign(new Error(`${code} ${name}: ${details}`), { code, details, metadata: {} })
const connect = (code: number) => Object.assign(new Error('x'), { name: 'ConnectError', code })
const grpc = (...names: string[]) => names.map(name => `grpc=${name}`)

/** gRPC and Connect: sixteen codes, and the HTTP statuses that clients map to them. */
export default family('grpc', {
  cancelled: {
    kind: 'aborted',
    rank: 'named',
    why: 'our side cancelled the call',
    when: { code: grpc('cancelled'), unless: ['received rst stream'] },
    example: {
      code: 1,
      details: 'Cancelled on client',
      metadata: { internalRepr: {}, options: {} },
      message: '1 CANCELLED: Cancelled on client',
    },
  },
  reset: {
    kind: 'stream_cut',
    rank: 'named',
    why: 'the server reset the stream; the code says cancelled, although no side cancelled',
    when: { code: grpc('cancelled'), says: ['received rst stream'] },
    example: status(1, 'CANCELLED', 'Received RST_STREAM with code 8'),
  },
  server: {
    kind: 'server_error',
    rank: 'said',
    why: 'the server failed, or its answer could not be read',
    when: { code: grpc('unknown', 'internal') },
    example: status(2, 'UNKNOWN', 'boom'),
  },
  refused: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the request is wrong, in itself or for the current state',
    when: { code: grpc('invalid_argument', 'failed_precondition', 'out_of_range') },
    example: status(9, 'FAILED_PRECONDITION', 'not now'),
  },
  hidden_bad_request: {
    kind: 'invalid_request',
    rank: 'cause',
    why: 'a plain HTTP 400 is reported as an internal error; nothing was done',
    when: { code: grpc('internal', 'unknown'), says: ['http status code', 'http # '], status: [400, 422] },
    example: status(13, 'INTERNAL', 'Received HTTP status code 400'),
  },
  no_method: {
    kind: 'config',
    rank: 'named',
    why: 'the server has no such method: a wrong address or version',
    when: { code: grpc('unimplemented') },
    example: status(12, 'UNIMPLEMENTED', 'no such method'),
  },
  never_sent: {
    kind: 'connect_timeout',
    rank: 'named',
    effect: 'none',
    why: 'the deadline passed while the client still looked for a connection',
    when: { code: grpc('deadline_exceeded'), says: ['waiting for lb pick'] },
    example: status(4, 'DEADLINE_EXCEEDED', 'Deadline exceeded after 1.2s,LB pick: 1.1s,Waiting for LB pick'),
  },
  deadline: {
    kind: 'timeout',
    rank: 'named',
    why: 'the deadline of the call passed',
    when: { code: grpc('deadline_exceeded') },
    example: connect(4),
  },
  absent: {
    kind: 'not_found',
    rank: 'named',
    why: 'what the request names does not exist',
    when: { code: grpc('not_found') },
    example: connect(5),
  },
  exists: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'named',
    why: 'it already exists',
    when: { code: grpc('already_exists') },
    example: connect(6),
  },
  denied: {
    kind: 'forbidden',
    rank: 'named',
    why: 'the login may not do this',
    when: { code: grpc('permission_denied') },
    example: status(7, 'PERMISSION_DENIED', 'x'),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'there is no valid login',
    when: { code: grpc('unauthenticated') },
    example: connect(16),
  },
  exhausted: {
    kind: 'rate_limit',
    rank: 'named',
    why: 'a limit of the service or its memory',
    when: [{ code: grpc('resource_exhausted') }, { says: ['bandwidth exhausted'] }],
    example: connect(8),
  },
  conflict: {
    kind: 'conflict',
    rank: 'named',
    effect: 'none',
    why: 'a transaction lost to another one; ABORTED is not a cancellation',
    when: [
      { code: grpc('aborted') },
      { code: ['code=aborted'], status: [409] },
      { code: ['status=aborted'], status: [409] },
    ],
    example: status(10, 'ABORTED', 'x'),
  },
  not_connected: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'no connection was made, so nothing was sent',
    when: {
      code: grpc('unavailable'),
      says: ['no connection established', 'failed to connect', 'connection refused'],
    },
    example: status(14, 'UNAVAILABLE', 'No connection established'),
  },
  unavailable: {
    kind: 'overloaded',
    rank: 'hint',
    why: 'not now; the details may say more',
    when: { code: [...grpc('unavailable'), 'UNAVAILABLE'] },
    example: status(14, 'UNAVAILABLE', 'x'),
  },
  data_loss: {
    kind: 'io',
    rank: 'named',
    effect: 'maybe',
    why: 'data is lost or corrupt on the server',
    when: [{ code: [...grpc('data_loss'), 'code=data_loss'] }],
    example: status(15, 'DATA_LOSS', 'x'),
  },
})
