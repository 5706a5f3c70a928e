import { family } from '../rule.ts'

const refused = (responseCode: number, text: string, code = 'EENVELOPE') =>
  Object.assign(new Error(`Message failed: ${responseCode} ${text}`), {
    code,
    responseCode,
    command: 'RCPT TO',
  })
const failed = (code: string, message = 'x') => Object.assign(new Error(message), { code, command: 'CONN' })
const mailer = ['EENVELOPE', 'EMESSAGE', 'EPROTOCOL', 'EAUTH', 'ESOCKET', 'ECONNECTION']
const replies = (...codes: number[]) => [
  { code: codes.map(code => `smtp=${code}`) },
  ...mailer.map(word => ({ code: codes.map(code => `response_code=${code}`), also: [word] })),
]

/** SMTP and nodemailer: reply codes that look like HTTP statuses and mean other things. */
export default family('mail', {
  later: {
    kind: 'overloaded',
    rank: 'cause',
    effect: 'none',
    why: 'a 4xx reply: busy, greylisted or out of a resource; it works minutes later',
    when: replies(421, 450, 451, 452, 454),
    example: refused(451, '4.3.0 Local error in processing'),
  },
  rate: {
    kind: 'rate_limit',
    rank: 'cause',
    why: 'too much mail in too short a time',
    when: replies(421, 450, 451, 452, 454, 550).map(reply => ({
      ...reply,
      says: [
        'too many (login|attempts|connections|concurrent|emails|mails)',
        'unusual rate',
        'rate that prevents',
        'rate limited',
        'too many messages',
        'sending rate',
      ],
    })),
    example: refused(421, '4.7.0 Our system has detected an unusual rate of unsolicited mail'),
  },
  day: {
    kind: 'quota',
    rank: 'cause',
    why: "the account's daily mail limit is reached",
    when: { code: ['smtp=5.4.5'] },
    example: refused(550, '5.4.5 No more mails of this user for now'),
  },
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'the mail server does not accept the login',
    when: [...replies(530, 534, 535), { code: ['EOAUTH2', 'ENOAUTH'] }],
    example: { message: 'it failed', code: 'EOAUTH2' },
  },
  login_failed: {
    kind: 'auth',
    rank: 'said',
    why: 'the login failed; the reply may say that this is temporary',
    when: { code: ['EAUTH'] },
    example: failed('EAUTH'),
  },
  mailbox: {
    kind: 'not_found',
    rank: 'named',
    why: 'there is no such mailbox, or not for this sender',
    when: replies(550, 551, 553),
    example: refused(551, '5.1.6 User not local'),
  },
  size: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'the mail or the mailbox is too large',
    when: replies(552),
    example: refused(552, '5.3.4 Message size exceeds fixed limit', 'EMESSAGE'),
  },
  content: {
    kind: 'content_policy',
    rank: 'named',
    why: 'the mail is refused for its content or its origin',
    when: replies(554),
    example: refused(554, '5.7.1 Message rejected as spam', 'EMESSAGE'),
  },
  not_connected: {
    kind: 'network',
    rank: 'hint',
    effect: 'none',
    why: 'no connection to the mail server',
    when: { code: ['ECONNECTION', 'EPROXY'] },
    example: failed('EPROXY'),
  },
  cut: {
    kind: 'network',
    rank: 'said',
    why: 'the connection broke; after the last line of a mail it is unknown whether it was accepted',
    when: [{ code: ['ESOCKET'] }, { code: ['ECONNECTION'], says: ['closed unexpectedly'] }],
    example: failed('ESOCKET'),
  },
  name: {
    kind: 'dns',
    rank: 'named',
    effect: 'none',
    why: 'the mail server was not found',
    when: { code: ['EDNS'] },
    example: failed('EDNS'),
  },
  no_greeting: {
    kind: 'connect_timeout',
    rank: 'named',
    effect: 'none',
    why: 'the mail server accepted the connection but did not send a greeting',
    when: { says: ['greeting never received'] },
    example: failed('ETIMEDOUT', 'Greeting never received'),
  },
  invalid: {
    kind: 'invalid_request',
    rank: 'last',
    why: 'the sender, a recipient or the content is invalid',
    when: { code: ['EENVELOPE', 'EMESSAGE'] },
    example: failed('EENVELOPE', 'No recipients defined'),
  },
  protocol: {
    kind: 'server_error',
    rank: 'last',
    why: 'the mail server said something unexpected',
    when: { code: ['EPROTOCOL'] },
    example: failed('EPROTOCOL'),
  },
  connection_full: {
    kind: 'overloaded',
    rank: 'last',
    why: 'this connection may not send more mails; a fresh one may',
    when: { code: ['EMAXLIMIT'] },
    example: failed('EMAXLIMIT'),
  },
})
