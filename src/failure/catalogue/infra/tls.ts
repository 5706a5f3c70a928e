import { family } from '../rule.ts'
import { coded, words } from './example.ts'

/** Certificates and handshakes. Almost all of these stay broken until fixed; a few alerts pass. */
export default family('tls', {
  certificate: {
    kind: 'tls',
    rank: 'cause',
    why: "OpenSSL refuses the server's certificate: its chain, its name or its dates",
    when: [
      {
        code: words(`DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
          UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_HAS_EXPIRED CERT_NOT_YET_VALID
          ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH CERT_REVOKED CERT_REJECTED CERT_UNTRUSTED
          CERT_CHAIN_TOO_LONG CERT_SIGNATURE_FAILURE INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED
          CRL_HAS_EXPIRED CRL_NOT_YET_VALID CRL_SIGNATURE_FAILURE UNABLE_TO_GET_CRL UNABLE_TO_GET_CRL_ISSUER
          UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY
          ERROR_IN_CERT_NOT_BEFORE_FIELD ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CRL_LAST_UPDATE_FIELD
          ERROR_IN_CRL_NEXT_UPDATE_FIELD SSLCertVerificationError SSLHandshakeException`),
        unless: ['eof occurred', 'terminated the handshake'],
      },
      {
        says: [
          'certificate key too weak',
          'does not match certificates altnames',
          'not in the certs altnames',
          'no alternative certificate subject name',
          'setting certificate file',
          'err cert (authority|date|common|revoked|invalid|weak|name)',
        ],
      },
    ],
    example: new TypeError('fetch failed', { cause: coded('CERT_REVOKED', 'revoked') }),
  },
  handshake: {
    kind: 'tls',
    rank: 'cause',
    why: 'the two sides share no version, cipher or name, or one of them does not speak TLS there',
    when: [
      {
        says: [
          'err ssl … (handshake failure|bad certificate|certificate unknown|certificate expired|certificate revoked|unsupported certificate|illegal parameter|protocol version|unknown ca|insufficient security|no application protocol|unrecognized name|no protocols available|unsupported protocol|version number|protocol error|cipher mismatch)',
          'sslv3 alert (handshake failure|bad certificate|certificate unknown)',
          'ssl tls alert (handshake failure|bad certificate|certificate unknown|illegal parameter)',
          'ssl (protocol error|version or cipher mismatch)',
          'server speak tls on this port',
        ],
      },
      { code: ['ERR_SSL_WRONG_VERSION_NUMBER', 'ETLS'] },
      {
        code: ['EPROTO'],
        unless: [
          'alert internal error',
          'bad record mac',
          'unexpected eof',
          'alert user (cancelled|canceled)',
        ],
      },
    ],
    example: coded('ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'alert'),
  },
  passing_alert: {
    kind: 'network',
    rank: 'named',
    why: 'an alert for trouble on the server or for data corrupted on the way; a fresh connection helps',
    when: {
      says: [
        'alert (internal error|user cancelled|user canceled|bad record mac|decrypt error|decode error)',
        'bad record mac',
        'unexpected eof while reading',
        'eof occurred in violation of protocol',
        'terminated the handshake',
        'ssl error syscall',
      ],
    },
    example: coded('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'SSL alert number 80'),
  },
})
