import { family, type Rule } from '../rule.ts'
import { answer } from './example.ts'

/** Services that agents work with: code hosts, trackers, notes, documents, payments. */
export default [
  ...family('host', {
    spent: {
      kind: 'rate_limit',
      rank: 'cause',
      why: 'GitHub and others answer 403 when a window is used up; the header says that nothing is left',
      when: { code: ['x-ratelimit-remaining=0'], status: [403, 429] },
      example: answer(403, { message: 'x' }, { 'x-ratelimit-remaining': '0' }),
    },
    abuse: {
      kind: 'rate_limit',
      rank: 'named',
      why: 'the secondary rate limit of code hosts, based on usage patterns',
      when: {
        says: ['abuse detection mechanism', 'requested too many times', 'retry later'],
        status: [403, 429],
      },
      example: { status: 403, headers: {}, body: 'This page was requested too many times' },
    },
    many_times: {
      kind: 'rate_limit',
      rank: 'named',
      why: "GitLab's message for its rate limit",
      when: { says: ['has been requested too many times'] },
      example: 'This endpoint has been requested too many times. Try again later.',
    },
    archived: {
      kind: 'forbidden',
      scope: 'resource',
      rank: 'named',
      why: 'an archived repository accepts no changes; Gitea reports it with the status for a lock',
      when: { says: ['(repository|repo|project) (is|was|has been) archived'] },
      example: answer(423, { message: 'Repo is archived' }),
    },
    large_file: {
      kind: 'request_too_large',
      rank: 'named',
      why: 'a file is too large for the repository',
      when: { says: ['gh001', 'large files detected', 'file size limit of'] },
      example: 'remote: error: GH001: Large files detected.',
    },
    protected: {
      kind: 'forbidden',
      scope: 'resource',
      rank: 'named',
      why: 'a rule of the repository protects the branch',
      when: {
        says: [
          'gh006',
          'gh013',
          'protected branch',
          'repository rule violations',
          'pre receive hook declined',
        ],
      },
      example: 'remote: error: GH006: Protected branch update failed for refs/heads/main.',
    },
  }),
  ...family('tracker', {
    no_feature: {
      kind: 'forbidden',
      scope: 'account',
      rank: 'named',
      why: 'the plan of the workspace does not include it',
      when: { code: ['type=feature not accessible'] },
      example: answer(400, { errors: [{ message: 'x', extensions: { type: 'feature not accessible' } }] }),
    },
    hour: {
      kind: 'quota',
      rank: 'cause',
      why: "the hour's points are used up",
      when: {
        code: [
          'ratelimit-reason=jira-quota-global-based',
          'ratelimit-reason=jira-quota-tenant-based',
          'ratelimit-reason=quota',
        ],
      },
      example: answer(429, '', { 'ratelimit-reason': 'jira-quota-global-based' }),
    },
    our_json: {
      kind: 'invalid_request',
      rank: 'named',
      why: 'the JSON that we sent could not be read',
      when: { code: ['invalid_json'], status: [400] },
      example: answer(400, { object: 'error', code: 'invalid_json', message: 'x' }),
    },
  }),
  ...family('payment', {
    card: {
      kind: 'invalid_request',
      rank: 'cause',
      why: "a customer's card was refused: that is the call's data, not our account",
      when: { code: ['card_error', 'StripeCardError', 'card_declined'] },
      example: answer(402, { error: { type: 'card_error', code: 'card_declined', message: 'x' } }),
    },
    key_reused: {
      kind: 'code_bug',
      rank: 'cause',
      effect: 'none',
      why: 'the idempotency key belongs to another request',
      when: {
        code: ['idempotency_error', 'StripeIdempotencyError'],
        unless: ['another in progress request using this'],
      },
      example: answer(400, { error: { type: 'idempotency_error', message: 'x' } }),
    },
    key_in_use: {
      kind: 'conflict',
      rank: 'named',
      effect: 'none',
      why: 'the same request is still in progress',
      when: [{ code: ['idempotency_key_in_use'] }, { says: ['another in progress request using this'] }],
      example: answer(409, { error: { type: 'invalid_request_error', code: 'idempotency_key_in_use' } }),
    },
  }),
  ...family('phone', {
    rate: {
      kind: 'rate_limit',
      rank: 'cause',
      why: "Twilio's codes for too many calls and for a full queue",
      when: { code: ['code=20429', 'code=30001', 'code=14107', 'code=63018'] },
      example: answer(400, { code: 30001, message: 'Queue overflow', status: 400 }),
    },
  }),
  ...family('vault', {
    exists: {
      class: 'permanent',
      kind: 'conflict',
      rank: 'named',
      why: 'a note with that name already exists',
      when: { code: ['error_code=40920'] },
      example: answer(409, { errorCode: 40920, message: 'x' }),
    },
  }),
] satisfies Rule[]
