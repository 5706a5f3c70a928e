import { family, type Rule } from '../rule.ts'
import { printed } from './example.ts'

const npm = (code: string, text: string) => printed(`npm error code ${code}\nnpm error ${text}`)
const NOT_FOUND = 'ERROR: No matching distribution found for x'
const broken = (by: string) =>
  printed(
    `WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by '${by}('x')': /simple/x/\n${NOT_FOUND}`,
  )

/** npm, pip, apt and docker: installers report network failures as "not found". */
export default [
  ...family('npm', {
    absent: {
      kind: 'not_found',
      rank: 'named',
      why: 'there is no such package or version',
      when: { says: ['code e404', 'code etarget', 'no matching version found'] },
      example: npm('ETARGET', 'notarget No matching version found for x@9.'),
    },
    settings: {
      kind: 'config',
      rank: 'named',
      why: 'the package file, the lock file or the call is wrong',
      when: {
        says: [
          'lockfile … frozen',
          'lockfile had changes',
          'verifying module … checksum mismatch',
          'lockfile … (has no|is missing|missing|out of date|outdated|not up to date|does not match|do not match|is broken|needs to be updated|would have been modified|not compatible|corrupted)',
          'lock file … (not in sync|out of sync|out of date|needs to be updated|not up to date|does not match|is not up to date|is corrupt)',
          '(frozen lockfile|frozen lock|locked) … (out of date|outdated|not up to date|fails|failed|cannot|needs to be updated)',

          'conflicting (dependencies|peer dependency|requirements)',
          'version solving failed',
          'resolution impossible',
          'no solution found when resolving',
          'code eresolve',
          'code ejsonparse',
          'code eusage',
          'npm (error|err) missing script',
          'unable to resolve dependency tree',
          'code eunsupportedprotocol',
          'code einvalidpackagename',
        ],
      },
      example: 'npm error code EUSAGE',
    },
    unresolved: {
      kind: 'config',
      rank: 'hint',
      why: 'packages could not be assembled; the error of the missing one says more',
      when: {
        says: [
          '(could not|cannot|unable to|failed to) (resolve|find compatible|satisfy) … (dependencies|dependency|requirements|versions)',
        ],
      },
      example: printed('error: failed to resolve dependencies of app'),
    },
    engine: {
      kind: 'version_mismatch',
      rank: 'named',
      why: 'the package requires another version of Node',
      when: { says: ['code ebadengine', 'code ebadplatform'] },
      example: npm('EBADPLATFORM', 'x'),
    },
    login: {
      kind: 'auth',
      rank: 'named',
      why: 'the registry requires a login or a one-time password',
      when: { says: ['code e401', 'code eneedauth', 'code eotp'] },
      example: npm('EOTP', 'This operation requires a one-time password from your authenticator.'),
    },
    denied: {
      kind: 'forbidden',
      rank: 'named',
      why: 'the registry refuses this user',
      when: { says: ['code e403'] },
      example: npm('E403', 'x'),
    },
    published: {
      class: 'permanent',
      kind: 'conflict',
      rank: 'named',
      why: 'that version is already published',
      when: { says: ['code epublishconflict', 'cannot publish over'] },
      example: npm('EPUBLISHCONFLICT', 'Cannot publish over existing version'),
    },
    rate: {
      kind: 'rate_limit',
      rank: 'named',
      why: "the registry's rate limit",
      when: { says: ['code e429'] },
      example: npm('E429', 'x'),
    },
    checksum: {
      kind: 'stream_cut',
      rank: 'named',
      why: 'the download does not match its checksum: cut or changed on the way',
      when: {
        unless: ['verifying module'],
        says: [
          '(checksum|hash|digest) (mismatch|did not match|does not match|verification failed)',
          'code eintegrity',
          'integrity checksum failed',
          'hash sum mismatch',
          'these packages do not match the hashes',
        ],
      },
      example: npm('EINTEGRITY', 'sha512-x integrity checksum failed when using sha512'),
    },
  }),
  ...family('pip', {
    unreachable: {
      kind: 'network',
      rank: 'named',
      effect: 'none',
      why: 'pip could not reach the index, and its last line only says it found nothing',
      when: [
        'newconnectionerror',
        'connecttimeouterror',
        'readtimeouterror',
        'protocolerror',
        'proxyerror',
      ].map(name => ({ says: ['no matching distribution found'], also: [`broken_by=${name}`] })),
      example: broken('NewConnectionError'),
    },
    certificate: {
      kind: 'tls',
      rank: 'named',
      why: "the certificate of the index was refused, and pip's last line only says it found nothing",
      when: { says: ['no matching distribution found'], also: ['broken_by=sslerror'] },
      example: broken('SSLError'),
    },
    name: {
      kind: 'dns',
      rank: 'named',
      effect: 'none',
      why: "the name of the index was not resolved, and pip's last line only says it found nothing",
      when: { says: ['no matching distribution found'], also: ['broken_by=nameresolutionerror'] },
      example: broken('NameResolutionError'),
    },
    system_python: {
      kind: 'config',
      rank: 'named',
      why: "the system's Python does not accept packages from pip",
      when: { says: ['externally managed environment'] },
      example: printed('error: externally-managed-environment'),
    },
  }),
  ...family('apt', {
    sources: {
      kind: 'config',
      rank: 'named',
      why: 'a package source is wrong or not signed by a known key',
      when: {
        says: [
          'does not have a release file',
          'no pubkey',
          'is not signed',
          'signatures couldnt be verified',
          'dpkg was interrupted',
          'unmet dependencies',
          'held broken packages',
        ],
      },
      example: printed(
        "E: The repository 'http://deb.example.com Release' does not have a Release file.",
        100,
      ),
    },
  }),
  ...family('docker', {
    pulls: {
      kind: 'rate_limit',
      rank: 'named',
      why: 'the registry limits pulls per time window',
      when: { says: ['toomanyrequests', 'pull rate limit'] },
      example: printed('toomanyrequests: try again after 6h'),
    },
    no_image: {
      kind: 'not_found',
      rank: 'named',
      why: 'there is no such image or tag, or no access to it',
      when: { says: ['manifest unknown', 'pull access denied', 'manifest for … not found'] },
      example: printed('Error response from daemon: manifest unknown'),
    },
    taken: {
      class: 'permanent',
      kind: 'conflict',
      rank: 'named',
      why: 'the port or the name is in use by another container',
      when: {
        says: ['port is already allocated', 'container name … is already in use', 'address already in use'],
      },
      example: printed(
        'docker: Error response from daemon: Bind for 0.0.0.0:80 failed: port is already allocated.',
        125,
      ),
    },
  }),
] satisfies Rule[]
