import { family } from '../rule.ts'
import { answer } from './example.ts'

const status = (code: number, word: string, message = 'See the documentation.', details: unknown[] = []) =>
  answer(code, { error: { code, message, status: word, details } })
const info = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
})
const violation = (quotaId: string) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId }],
})

/** Both names of a quota window: with and without the tier at the end. */
const quota = (...names: string[]) =>
  names.flatMap(name => [`quota_id=${name}`, `quota_id=${name}-freetier`, `quota_id=${name}-paidtier`])

/** Gemini API, Vertex AI, Code Assist: google.rpc words, ErrorInfo reasons, quota ids. */
export default family('google', {
  minute_window: {
    kind: 'rate_limit',
    rank: 'cause',
    why: 'the message mentions plan and billing, but the violated quota is per minute',
    when: [
      {
        code: quota(
          'generaterequestsperminuteperprojectpermodel',
          'generatecontentinputtokenspermodelperminute',
          'generatecontentpaidtierinputtokenspermodelperminute',
          'generatecontentinputtokensperminuteperprojectpermodel',
          'generaterequestsperminuteperproject',
        ),
      },
      { says: ['per minute per project', 'per model per minute'], vendor: ['google'] },
    ],
    example: status(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
      [violation('GenerateRequestsPerMinutePerProjectPerModel-FreeTier')],
    ),
  },
  plan_window: {
    kind: 'usage_limit',
    rank: 'cause',
    why: "Code Assist's reason for a used-up plan",
    when: { code: ['quota_exhausted'] },
    example: status(429, 'RESOURCE_EXHAUSTED', 'See the documentation.', [info('QUOTA_EXHAUSTED')]),
  },
  bought_capacity: {
    kind: 'quota',
    rank: 'cause',
    why: 'the purchased throughput is used up; slowing down is not enough',
    when: { says: ['exceeded (the|your|) provisioned throughput'] },
    example: status(429, 'RESOURCE_EXHAUSTED', 'Too many requests. Exceeded the Provisioned Throughput.'),
  },
  verify: {
    kind: 'auth',
    rank: 'cause',
    why: 'a person must verify the account in a browser first',
    when: { code: ['validation_required'] },
    example: status(403, 'PERMISSION_DENIED', 'See the documentation.', [info('VALIDATION_REQUIRED')]),
  },
  denied: {
    kind: 'forbidden',
    rank: 'named',
    why: 'a refusal of the API, not of an operating system, although the words are the same',
    when: [
      {
        code: `permission_denied permissiondenied service_disabled api_key_service_blocked api_key_http_referrer_blocked api_key_ip_address_blocked
          consumer_suspended consumer_invalid user_project_denied iam_permission_denied access_token_scope_insufficient resource_project_invalid`.split(
          /\s+/,
        ),
      },
      { says: ['permission denied'], vendor: ['google'] },
      { says: ['is not allowed to use publisher model'] },
    ],
    example: status(403, 'PERMISSION_DENIED'),
  },
  internal: {
    kind: 'server_error',
    rank: 'hint',
    why: 'an internal failure; a context that is far too long is reported like this too',
    when: { code: ['internal', 'data_loss'] },
    example: { error: { status: 'INTERNAL', message: 'See the documentation.' } },
  },
  deadline: {
    kind: 'timeout',
    rank: 'cause',
    why: "the call's deadline passed, ours or one that a too large prompt missed",
    when: { code: ['deadline_exceeded', 'deadlineexceeded'] },
    example: status(504, 'DEADLINE_EXCEEDED'),
  },
  aborted: {
    kind: 'conflict',
    rank: 'said',
    why: 'here "aborted" means that two writers collided; it was not cancelled',
    when: { code: ['status=aborted'], vendor: ['google'] },
    example: { error: { status: 'ABORTED', message: 'See the documentation.' } },
    exampleProvider: 'gemini',
  },
  precondition: {
    kind: 'invalid_request',
    rank: 'hint',
    why: 'the state of the project or of the request forbids it',
    when: { code: ['failed_precondition', 'failedprecondition', 'out_of_range', 'unimplemented'] },
    example: {
      event_type: 'error',
      error: { code: 'failed_precondition', message: 'See the documentation.' },
    },
  },
})
