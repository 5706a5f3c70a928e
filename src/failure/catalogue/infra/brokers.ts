import { family, type Rule } from '../rule.ts'
import { named, numbered, words } from './example.ts'

const replies = (...codes: number[]) => numbered('amqp=', ...codes)
const closed = (code: number, name: string) =>
  Object.assign(new Error(`Channel closed by server: ${code} (${name})`), { code })

/** Kafka, AMQP and NATS. */
export default [
  ...family('kafka', {
    settling: {
      kind: 'server_error',
      rank: 'named',
      effect: 'none',
      why: 'the brokers are electing, loading or short of replicas; the record was not accepted',
      when: {
        code: words(
          'LEADER_NOT_AVAILABLE NOT_LEADER_FOR_PARTITION NOT_LEADER_OR_FOLLOWER GROUP_LOAD_IN_PROGRESS COORDINATOR_LOAD_IN_PROGRESS NOT_COORDINATOR_FOR_GROUP NOT_COORDINATOR GROUP_COORDINATOR_NOT_AVAILABLE COORDINATOR_NOT_AVAILABLE NOT_ENOUGH_REPLICAS UNKNOWN_TOPIC_OR_PARTITION CONCURRENT_TRANSACTIONS',
        ),
      },
      example: named('KafkaJSProtocolError', 'x', { type: 'LEADER_NOT_AVAILABLE', retriable: true }),
    },
    not_copied: {
      kind: 'server_error',
      rank: 'named',
      why: 'the record was written but not replicated enough, or the broker hung up before confirming it',
      when: { code: ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'NETWORK_EXCEPTION'] },
      example: named('KafkaJSProtocolError', 'x', { type: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND' }),
    },
    too_large: {
      kind: 'request_too_large',
      rank: 'named',
      why: 'the record is larger than the broker accepts',
      when: { code: ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'MAX_PAYLOAD_EXCEEDED'] },
      example: named('KafkaJSProtocolError', 'x', { type: 'RECORD_LIST_TOO_LARGE' }),
    },
    denied: {
      kind: 'forbidden',
      scope: 'resource',
      rank: 'named',
      why: 'the login may not touch this topic, group or cluster',
      when: {
        code: words(
          'TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
        ),
      },
      example: named('KafkaJSProtocolError', 'x', { type: 'GROUP_AUTHORIZATION_FAILED' }),
    },
    rebalance: {
      kind: 'conflict',
      rank: 'named',
      effect: 'none',
      why: 'the consumer group is rebalancing; join again',
      when: {
        code: words(
          'REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION MEMBER_ID_REQUIRED FENCED_INSTANCE_ID',
        ),
      },
      example: named('KafkaJSProtocolError', 'x', { type: 'ILLEGAL_GENERATION' }),
    },
  }),
  ...family('amqp', {
    forced: {
      kind: 'network',
      rank: 'cause',
      why: 'the broker closed the connection for its own reasons',
      when: [
        { code: replies(320, 541) },
        { code: ['message=heartbeat timeout', 'message=unexpected close'] },
      ],
      example: { message: 'heartbeat timeout' },
    },
    resources: {
      kind: 'overloaded',
      rank: 'cause',
      why: 'the broker ran out of a resource',
      when: { code: replies(506) },
      example: closed(506, 'RESOURCE-ERROR'),
    },
    denied: {
      kind: 'forbidden',
      scope: 'resource',
      rank: 'cause',
      why: 'the login may not use this queue, exchange or host',
      when: { code: replies(403, 530), unless: ['login was refused'] },
      example: closed(530, 'NOT-ALLOWED'),
    },
    absent: {
      kind: 'not_found',
      rank: 'cause',
      why: 'there is no such queue, exchange or route',
      when: { code: replies(404, 312, 313) },
      example: closed(312, 'NO-ROUTE'),
    },
    misuse: {
      kind: 'code_bug',
      rank: 'cause',
      why: 'frames or commands are malformed or out of order; the numbers look like HTTP server errors',
      when: { code: replies(501, 502, 503, 504, 505, 540) },
      example: closed(504, 'CHANNEL-ERROR'),
    },
  }),
  ...family('nats', {
    nobody: {
      kind: 'server_error',
      rank: 'named',
      effect: 'none',
      why: 'the subject has no listener right now',
      when: [
        { code: ['NoRespondersError'] },
        { code: ['code=503'], also: ['NatsError'] },
        { says: ['no responders'] },
      ],
      example: named('NatsError', '503', { code: '503' }),
    },
    cut: {
      kind: 'network',
      rank: 'named',
      why: 'the connection to the server is gone',
      when: { code: ['CONNECTION_REFUSED', 'DISCONNECT', 'code=connection_closed', 'code=stale_connection'] },
      example: named('NatsError', 'DISCONNECT', { code: 'DISCONNECT' }),
    },
    login: {
      kind: 'auth',
      rank: 'cause',
      why: 'the server does not accept the login',
      when: { code: ['AUTHORIZATION_VIOLATION', 'AUTHENTICATION_EXPIRED'] },
      example: named('NatsError', "'Authorization Violation'", { code: 'AUTHORIZATION_VIOLATION' }),
    },
    denied: {
      kind: 'forbidden',
      scope: 'resource',
      rank: 'named',
      why: 'the login may not use this subject',
      when: [{ code: ['PERMISSIONS_VIOLATION'] }, { says: ['permissions violation for'] }],
      example: named('NatsError', 'x', { code: 'PERMISSIONS_VIOLATION' }),
    },
  }),
] satisfies Rule[]
