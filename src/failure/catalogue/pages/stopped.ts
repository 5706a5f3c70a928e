import { page } from '../page.ts'

/** A person or the program stopped it. */
export default page(
  'stopped',
  `
by_user: aborted specific · a person or the program cancelled it; trying again would go against them
  says user (likely|) (declined|refused|denied|dismissed|chose not|did not approve|didnt approve|skipped|does not want|doesnt want|interrupted|killed|ended|aborted|cancelled|canceled|pressed|stopped|requested cancellation|rejected),
    (declined|refused|dismissed|not approved|disapproved) by (the|) (user|operator|human|person),
    (tool|command|action|request|permission) (was|) (declined|rejected|not approved) by,
    (stopped|interrupted|cancelled|canceled|aborted|ended|killed) by (a|an|the|) (person|human|admin|administrator|operator|user), user (hit|left|navigated|quit|closed), (hit|pressed|received) ctrl c,
    interrupted (what should|ctrl), keyboard interrupt, due to user request,
    (job|build|run|pipeline|workflow|deployment|deploy|stage|check) (failed|was|has been|is|) (canceled|cancelled)
  eg the user declined
cancelled: aborted general · the call was cancelled, without saying by what
  says (request|operation|call|task|run|turn|execution|job|query|stream|prompt|workflow|activity|pipeline|build) (was|has been|is|) (aborted|cancelled|canceled|interrupted),
    context canceled, signal (is|has been) aborted, (cancelled|message aborted) error, fetch is aborted
  unless aborted pending request
  or code CancelledFailure CancelledException message=canceled|cancelled error=canceled|cancelled
  eg Request was aborted.
`,
)
