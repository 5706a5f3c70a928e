/** Why a parked operation goes on that nothing else has moved: whoever asked takes on himself what it may have done. */
export const ASKED = 'a person asked for it'
