/** What was done over HTTP or in the dashboard, by the name of the request; what it was done to comes after it. */
const DONE: Readonly<Record<string, string>> = {
  submitOperation: 'submitted',
  submitOperations: 'submitted operations',
  handOver: 'handed over',
  retryOperation: 'retried',
  resumeOperation: 'resumed',
  cancelOperation: 'cancelled',
  discardOperation: 'discarded',
  editOperation: 'edited',
  markOperationDone: 'marked as done:',
  applyBulk: 'changed many operations',
  previewBulk: 'looked at what a change of many would do',
  pauseQueue: 'paused',
  resumeQueue: 'resumed',
  prune: 'deleted old history',
  pauseProvider: 'paused the provider',
  resumeProvider: 'resumed the provider',
  resetProvider: 'reset the provider',
  probeProvider: 'probed the provider',
  probeProviders: 'probed all providers',
  pauseSchedule: 'paused the schedule',
  resumeSchedule: 'resumed the schedule',
  runSchedule: 'ran the schedule',
  startWorkflow: 'started the workflow',
  advanceStep: 'gave the result of the step',
  skipStep: 'skipped the step',
  retryWorkflowRun: 'retried the run',
  cancelWorkflowRun: 'cancelled the run',
  startGroup: 'started the group',
  cancelGroup: 'cancelled the group',
  labelUnknown: 'labelled the unknown failure',
  withdrawLabel: 'withdrew the label',
  importLabels: 'imported labels',
  markRead: 'marked notices as read',
  snoozeNotices: 'snoozed notices',
  showBeforeEnd: 'showed notices before a session ended',
  testSurface: 'sent a test message to',
  releaseHold: 'released the held question',
  refuseHold: 'refused the held question',
  setRetention: 'changed how long history is kept',
  whereIsTheLedger: 'asked where the ledger is',
  newSignInCode: 'made a sign-in code',
}

/**
 * What was done, and to what, in words: `retryOperation` of `op_7` is "retried op_7". Commands such as `ops retry` are known
 * by their own names.
 */
export function changeInWords(action: string, subject?: string): string {
  if (subject === undefined && /^(pause|resume)Queue$/.test(action)) return `${DONE[action]} the queue`
  return DONE[action] ?? action
}

/** The whole change in a line. */
export function changeInOneLine(action: string, subject?: string): string {
  return `${changeInWords(action, subject)}${subject === undefined ? '' : ` ${subject}`}`
}
