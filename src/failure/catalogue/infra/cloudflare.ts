import { family } from '../rule.ts'
import { numbered } from './example.ts'

const problem = (code: number, category: string, extra: object = {}, status = 403) => ({
  status,
  headers: {},
  body: {
    title: `Error ${code}`,
    status,
    cloudflare_error: true,
    error_code: code,
    error_category: category,
    ...extra,
  },
})
const codes = (...numbers: number[]) => numbered('cloudflare=', ...numbers)

/** Cloudflare in front of a service: its numbered errors, as problem documents or as pages. */
export default family('edge', {
  rate: {
    kind: 'rate_limit',
    rank: 'cause',
    why: "the site's rate limit, or too many connections to its cache",
    when: [
      { code: [...codes(1015, 1200), 'cloudflare_category=rate_limit'] },
      { says: ['banned you temporarily from accessing'] },
    ],
    example: 'The owner of this website has banned you temporarily from accessing it',
  },
  plan: {
    kind: 'quota',
    rank: 'cause',
    why: "the site's plan is used up for today",
    when: { code: codes(1025, 1027) },
    example: problem(1027, 'config', { retryable: false }, 429),
  },
  blocked: {
    kind: 'forbidden',
    rank: 'cause',
    why: 'a rule of the site blocks this network, address or client; waiting changes nothing',
    when: [
      {
        code: [
          ...codes(1005, 1006, 1007, 1008, 1010, 1012, 1020, 1106, 1107, 1108, 1109),
          'cloudflare_category=access_denied',
          'cf-mitigated=challenge',
        ],
      },
      {
        says: [
          'attention required …… cloudflare',
          'title just a moment',
          'sorry you have been blocked',
          'enable javascript and cookies to continue',
        ],
      },
    ],
    example: problem(1020, 'access_denied', { retryable: false }),
  },
  country: {
    kind: 'unsupported_region',
    rank: 'cause',
    why: 'the site does not serve this country, by its own rule or by law',
    when: [
      { code: [...codes(1009, 1026, 1039), 'cloudflare_category=legal'] },
      { says: ['has banned the country'] },
    ],
    example: problem(1009, 'access_denied', { retryable: false }),
  },
  origin_unreachable: {
    kind: 'network',
    rank: 'cause',
    effect: 'none',
    why: 'the connection from Cloudflare to the site is down',
    when: { code: codes(1004, 1033) },
    example: problem(1033, 'dns', { retryable: true, retry_after: 120 }, 530),
  },
  site_setup: {
    kind: 'config',
    rank: 'cause',
    why: "the site's name or zone is set up wrong; its owner must act",
    when: {
      code: [
        ...codes(
          1000,
          1001,
          1002,
          1003,
          1013,
          1014,
          1016,
          1018,
          1019,
          1023,
          1034,
          1035,
          1036,
          1037,
          1040,
          1041,
          1043,
          1047,
          1049,
        ),
        'cloudflare_category=config',
      ],
    },
    example: problem(1016, 'dns', {}, 530),
  },
  site_tls: {
    kind: 'tls',
    rank: 'cause',
    why: 'certificates or versions do not match',
    when: {
      code: [
        ...codes(1017, 1028, 1029, 1044, 525, 526),
        'cloudflare_category=tls',
        'cloudflare_category=ssl',
      ],
    },
    example: problem(1044, 'tls', { retryable: false }),
  },
  headers: {
    kind: 'request_too_large',
    rank: 'cause',
    why: 'a rule of the site sets too many headers',
    when: { code: codes(1038) },
    example: problem(1038, 'config', { retryable: true, retry_after: 60 }),
  },
  redirects: {
    kind: 'server_error',
    rank: 'cause',
    effect: 'none',
    why: 'too many redirects at the edge; Cloudflare itself says a retry works',
    when: { code: ['cloudflare=1205'], also: ['cloudflare_retryable=true'] },
    example: problem(1205, 'rewrite', { retryable: true, retry_after: 5 }),
  },
  never: {
    kind: 'config',
    rank: 'named',
    effect: 'maybe',
    why: 'Cloudflare itself says a retry does not help, no matter the status',
    when: { code: ['cloudflare_retryable=false'] },
    example: problem(1101, 'worker', { retryable: false }, 500),
  },
})
