import { family } from '../rule.ts'
import { coded, words } from './example.ts'

/** DNS lookups: failures that pass, and mistyped addresses. */
export default family('dns', {
  again: {
    kind: 'dns',
    effect: 'none',
    why: 'the resolver cannot be reached: offline',
    when: { code: words('EAI_AGAIN EAI_FAIL ENOTFOUND ESERVFAIL EREFUSED EBADRESP ERR_NAME_NOT_RESOLVED') },
    example: { message: 'it failed', code: 'EAI_FAIL' },
  },
  server_refused: {
    kind: 'dns',
    effect: 'none',
    rank: 'cause',
    why: 'the name server refused, not the service',
    when: { code: ['ECONNREFUSED'], also: ['syscall=query'] },
    example: coded('ECONNREFUSED', 'queryA ECONNREFUSED api.example.com', { syscall: 'queryA' }),
  },
  no_such_name: {
    class: 'permanent',
    kind: 'dns',
    effect: 'none',
    rank: 'cause',
    why: 'the name cannot exist, has no such record, or cannot be queried: a mistyped address',
    when: [
      { code: ['ENOTFOUND'], also: ['host=reserved'] },
      { code: ['ENOTFOUND'], also: ['syscall=query'] },
      { code: words('EAI_NODATA ENODATA EBADNAME ENONAME EAI_NONAME EFORMERR ENOTIMP EBADQUERY') },
      { says: ['(enotfound|resolve host|resolve hostname|no such host) … (invalid|localdomain)'] },
    ],
    example: coded('ENOTFOUND', 'getaddrinfo ENOTFOUND api.nowhere.invalid', {
      syscall: 'getaddrinfo',
      hostname: 'api.nowhere.invalid',
    }),
  },
  cancelled: {
    kind: 'aborted',
    effect: 'none',
    rank: 'cause',
    why: 'the call was cancelled before it was answered',
    when: { code: ['ECANCELLED', 'EAI_CANCELED', 'ECANCELED'] },
    example: coded('ECANCELLED', 'queryA ECANCELLED'),
  },
})
