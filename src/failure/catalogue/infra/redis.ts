import { family } from '../rule.ts'
import { named } from './example.ts'

const reply = (message: string) => named('ReplyError', message, { command: { name: 'get', args: ['k'] } })

/** Redis: the first word of a reply is its code. A refused command did nothing. */
export default family('redis', {
  loading: {
    kind: 'loading',
    rank: 'named',
    effect: 'none',
    why: 'the server is still loading its data',
    when: { says: ['redis is loading'] },
    example: reply('LOADING Redis is loading the dataset'),
  },
  script_runs: {
    kind: 'lock',
    rank: 'named',
    effect: 'none',
    why: 'a script holds the server',
    when: { says: ['busy redis is busy'] },
    example: reply('BUSY Redis is busy. You can only call SCRIPT KILL.'),
  },
  cluster_down: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'the cluster is moving slots, has no master or lacks replicas; it recovers',
    when: { says: ['tryagain', 'clusterdown', 'masterdown', 'noreplicas', 'max number of clients reached'] },
    example: reply('CLUSTERDOWN The cluster is down'),
  },
  moved: {
    kind: 'conflict',
    rank: 'named',
    effect: 'none',
    why: 'the slot is on another node; a cluster client follows there',
    when: { says: ['moved # # # # # #', 'ask # # # # # #'] },
    example: reply('MOVED 16287 127.0.0.1:7706'),
  },
  memory_limit: {
    kind: 'config',
    rank: 'named',
    why: "the server's memory limit is reached and nothing may be evicted",
    when: { says: ['oom command not allowed', 'used memory maxmemory'] },
    example: reply("OOM command not allowed when used memory > 'maxmemory'."),
  },
  cannot_save: {
    kind: 'disk_full',
    rank: 'named',
    effect: 'none',
    why: 'the server cannot save and therefore refuses writes',
    when: { says: ['misconf'] },
    example: reply(
      'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    ),
  },
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'the password is missing or wrong',
    when: { says: ['noauth', 'wrongpass', 'err invalid password', 'called without any password configured'] },
    example: reply('NOAUTH HELLO must be called with the client already authenticated'),
  },
  no_right: {
    kind: 'forbidden',
    scope: 'resource',
    rank: 'named',
    why: 'the user may not run this command or touch this key',
    when: { says: ['noperm'] },
    example: reply("NOPERM this user has no permissions to run the 'get' command"),
  },
  no_script: {
    kind: 'not_found',
    rank: 'named',
    why: 'the server does not have the script; the client must send it',
    when: { says: ['noscript no matching script'] },
    example: reply('NOSCRIPT No matching script. Please use EVAL.'),
  },
  misuse: {
    kind: 'code_bug',
    rank: 'named',
    why: 'the command is wrong for the key, the slot or the transaction',
    when: {
      says: [
        'execabort',
        'wrongtype',
        'crossslot',
        'nogroup',
        'err wrong number of arguments',
        'err unknown command',
        'err unknown subcommand',
        'err value is not',
        'err syntax error',
        'err operation against',
        'err no such key',
      ],
    },
    example: reply('WRONGTYPE Operation against a key holding the wrong kind of value'),
  },
  settings: {
    kind: 'config',
    rank: 'named',
    why: 'the server is not set up for what the client asks',
    when: {
      says: [
        'cluster support disabled',
        'db index is out of range',
        'running in protected mode',
        'max retries per request must be null',
        'custom id cannot be integers',
        'custom ids cannot',
      ],
    },
    example: 'ERR DB index is out of range',
  },
  given_up: {
    kind: 'network',
    rank: 'hint',
    why: 'the client gave up reconnecting; the real cause is in another event',
    when: [
      { code: ['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'message=connection is closed'] },
      { says: ['max retries per request limit', 'failed to refresh slots cache'] },
    ],
    example: named('MaxRetriesPerRequestError', 'Reached the max retries per request limit (which is 20).'),
  },
  not_sent: {
    kind: 'network',
    rank: 'named',
    effect: 'none',
    why: 'there was no connection to send on',
    when: [
      { code: ['ClientOfflineError'] },
      {
        says: [
          'none of startup nodes is available',
          'stream isnt writeable',
          'all sentinels are unreachable',
        ],
      },
    ],
    example: new Error("Stream isn't writeable and enableOfflineQueue options is false"),
  },
  worker_lost: {
    kind: 'runner_lost',
    rank: 'named',
    why: 'the worker lost its job: it stalled, or another one took over',
    when: {
      says: [
        'missing lock for job',
        'lock mismatch for job',
        'could not renew lock for job',
        'job stalled more than allowable limit',
      ],
    },
    example: new Error('job stalled more than allowable limit'),
  },
  no_job: {
    kind: 'not_found',
    rank: 'named',
    why: 'the job was removed',
    when: { says: ['missing key for job'] },
    example: new Error('Missing key for job 12. moveToFinished'),
  },
  stopped: {
    kind: 'aborted',
    rank: 'named',
    why: 'our own side ended the wait or the connection',
    when: [{ code: ['DisconnectsClientError'] }, { says: ['client unblocked via'] }],
    example: named('DisconnectsClientError', 'Disconnects client'),
  },
  never_again: {
    kind: 'invalid_request',
    rank: 'hint',
    why: 'the job itself says that a retry makes no sense',
    when: { code: ['UnrecoverableError'] },
    example: named('UnrecoverableError', 'x'),
  },
})
