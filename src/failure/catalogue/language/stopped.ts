import { family } from '../rule.ts'

/** Stopped on purpose. "aborted" alone can mean many things: cut responses and transaction conflicts say it too. */
export default family('stopped', {
  by_user: {
    kind: 'aborted',
    rank: 'cause',
    why: 'a person or the program cancelled it; trying again would go against them',
    when: {
      says: [
        'user (declined|refused|denied|dismissed|chose not|did not approve|didnt approve|skipped|does not want|doesnt want|interrupted|killed|ended)',
        '(declined|refused|dismissed|not approved|disapproved) by (the|) (user|operator|human|person)',
        '(tool|command|action|request|permission) (was|) (declined|rejected|not approved) by',
        '(interrupted|cancelled|canceled|aborted|stopped|terminated|rejected|denied) by (the|) (user|client|caller|operator)',
        'request interrupted by user',
        'user (aborted|cancelled|canceled|interrupted|pressed|stopped|requested cancellation|rejected)',
        'the user aborted a request',
        'interrupted what should',
        'keyboard interrupt',
        'interrupted ctrl',
        'due to user request',
        '(job|build|run|pipeline|workflow|deployment|deploy|stage|check) (failed|was|has been|is|) (canceled|cancelled)',
        'process aborted by user',
      ],
      unless: ['blocked by the user', 'alert user (cancelled|canceled)'],
    },
    example: 'the user declined',
  },
  one_word: {
    kind: 'aborted',
    rank: 'said',
    why: 'a one-word message that says it was cancelled; "aborted" alone is a cut connection',
    when: {
      code: [
        'message=canceled',
        'message=cancelled',
        'error=canceled',
        'error=cancelled',
        'CancelledFailure',
        'CancelledException',
        'CancellationException',
        'TaskCanceledException',
        'OperationCanceledException',
      ],
    },
    example: new Error('Canceled'),
  },
  cancelled: {
    kind: 'aborted',
    rank: 'said',
    why: 'the call was cancelled, without saying by what',
    when: {
      says: [
        '(request|operation|call|task|run|turn|execution|job|query|stream|prompt|workflow|activity|pipeline|build) (was|has been|is|) (aborted|cancelled|canceled|interrupted)',
        'request was aborted',
        '(this|the) operation was (aborted|cancelled|canceled)',
        'context canceled',
        'signal is aborted',
        'signal has been aborted',
        'cancelled error',
        'tool execution aborted',
        'turn (aborted|interrupted)',
        'fetch is aborted',
        'message aborted error',
      ],
      unless: ['due to timeout', 'timed out', 'aborted pending request', 'operation was canceled connection'],
    },
    example: 'Request was aborted.',
  },
})
