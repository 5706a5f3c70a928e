/** Fields of a filter that a column answers as they are. */
export const FILTER_COLUMNS = [
  ['session', 'session'],
  ['agentSession', 'agent_session'],
  ['fingerprint', 'fingerprint'],
  ['parkedFor', 'parked_for'],
  ['deadAs', 'dead_as'],
  ['kind', 'kind'],
  ['class', 'class'],
] as const
