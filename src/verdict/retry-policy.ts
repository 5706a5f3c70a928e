/**
 * What the author of work promises about a second run: of a call, a capability, a worker, a tool. `none`: never, once it may have
 * taken effect. `replay`: running it twice does no harm. `verify_first`: first check whether the effect is there.
 */
export type RetryPolicy = 'none' | 'replay' | 'verify_first'

/** All retry policies, the most careful first. */
export const RETRY_POLICIES: readonly RetryPolicy[] = ['none', 'replay', 'verify_first']

/** What an author can choose from, for messages. */
export const RETRY_CHOICES =
  '"none" (never again once it may have taken effect), "replay" (running it twice does no harm), "verify_first" (check first whether the effect is there)'
