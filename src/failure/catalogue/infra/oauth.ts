import { family } from '../rule.ts'
import { answer, words } from './example.ts'

const refused = (error: string) => answer(400, { error })
const errors = (list: string) => words(list, 'error=')

/** OAuth error codes, from `error` of a token or authorisation answer. */
export default family('oauth', {
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'the token, the grant or the client is not accepted; a person must log in again',
    when: [
      {
        code: [
          ...errors(
            'invalid_token invalid_grant invalid_client unauthorized_client login_required interaction_required consent_required authorization_pending expired_token',
          ),
          'message=invalid_grant',
          'message=invalid_client',
          'UnauthorizedError',
        ],
      },
      { says: ['error invalid grant', 'error invalid client', 'error invalid token'] },
    ],
    example: { message: 'it failed', error: 'invalid_grant' },
  },
  settings: {
    kind: 'config',
    rank: 'named',
    why: 'the client is registered wrong or sends a wrong request',
    when: {
      code: errors(
        'unsupported_grant_type unsupported_response_type invalid_scope invalid_redirect_uri redirect_uri_mismatch invalid_client_metadata invalid_target unapproved_software_statement',
      ),
    },
    example: refused('unsupported_grant_type'),
  },
})
