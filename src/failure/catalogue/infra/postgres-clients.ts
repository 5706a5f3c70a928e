import { family } from '../rule.ts'

const failed = (message: string, code?: string) =>
  Object.assign(new Error(message), code ? { code, errno: code } : {})

/** pg and postgres.js: the clients' own errors, without a SQLSTATE. */
export default family('pg', {
  cut: {
    kind: 'network',
    rank: 'named',
    why: 'the connection broke, perhaps during a query',
    when: [
      { code: ['CONNECTION_CLOSED', 'CONNECTION_DESTROYED'] },
      { says: ['connection terminated unexpectedly'] },
    ],
    example: failed('write CONNECTION_DESTROYED localhost:5432', 'CONNECTION_DESTROYED'),
  },
  dead_client: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'the client lost its connection earlier, so this query was never sent',
    when: { says: ['has encountered a connection error and is not queryable'] },
    example: failed('Client has encountered a connection error and is not queryable'),
  },
  no_connection: {
    kind: 'connect_timeout',
    rank: 'named',
    effect: 'none',
    why: 'no connection in time, either from the server or from our own pool',
    when: [
      { code: ['message=timeout expired'] },
      { says: ['timeout exceeded when trying to connect', 'terminated due to connection timeout'] },
    ],
    example: failed('timeout expired'),
  },
  ended: {
    kind: 'code_bug',
    rank: 'named',
    why: 'a query after the client or the pool was ended',
    when: [{ code: ['CONNECTION_ENDED'] }, { says: ['cannot use a pool after calling end'] }],
    example: failed('write CONNECTION_ENDED localhost:5432', 'CONNECTION_ENDED'),
  },
  settings: {
    kind: 'config',
    rank: 'named',
    why: 'the client is set up wrong for this server',
    when: { says: ['client password must be a string', 'server does not support ssl connections'] },
    example: failed('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
  },
})
