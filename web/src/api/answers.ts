// The parts of the daemon's answers that the dashboard uses. docs/http.md and /openapi.json describe the rest.

export type State = 'scheduled' | 'running' | 'parked' | 'succeeded' | 'dead'

/** The last failure of an operation. */
export interface FailureSummary {
  class: string
  kind: string
  message: string
  fingerprint: string
}

export interface Operation {
  id: string
  capability: string
  state: State
  due_at?: string
  mode?: 'again' | 'resume'
  held_by?: string
  started_at?: string
  cancel_requested?: boolean
  parked_for?: string
  parked_at?: string
  ended_at?: string
  result?: unknown
  result_cut?: boolean
  dead_as?: string
  reason?: string
  failure?: FailureSummary
  key?: string
  params: unknown
  providers: string[]
  priority: number
  source: string
  session?: string
  context?: unknown
  created_at: string
  updated_at: string
  run: number
  attempts: number
  retries: number
  remaining_retries: number
  waits: number
  snoozes: number
  retrying_ms: number
  snoozed_ms: number
  first_failed_at?: string
  cost_usd: number
  agent_session?: string
  folder?: string
}

export interface Evidence {
  rule: string
  where: string
  excerpt: string
  lost: { rule: string; excerpt: string }[]
}

/** A failure with all its details. */
export interface Failure extends FailureSummary {
  effect: 'none' | 'maybe' | 'done'
  provider?: string
  model?: string
  status?: number
  code?: string
  exit_code?: number
  retry_after_ms?: number
  reset_at?: string
  evidence: Evidence
  text?: string
}

export interface Verdict {
  action: 'retry' | 'failover' | 'snooze' | 'park' | 'cancel'
  delay_ms?: number
  until?: string
  for?: string
  as?: string
  mode?: string
  reason: string
  rule: string
}

export interface Attempt {
  number: number
  run: number
  started_at: string
  ended_at: string
  provider?: string
  model?: string
  failure?: Failure
  verdict?: Verdict
  cost_usd?: number
  turns?: number
  session_id?: string
  note?: unknown
}

export interface LedgerEvent {
  id: number
  at: string
  type: string
  operation?: string
  run?: number
  data?: Record<string, unknown>
}

export interface WindowUse {
  window: string
  unit: 'usd' | 'tokens' | 'requests' | 'share'
  used: number
  limit: number
  level: 'within' | 'near' | 'exhausted'
  until?: string
  source: 'counted' | 'reported' | 'filled'
}

export interface Provider {
  id: string
  quota: string
  admits: boolean
  reason?: string
  until?: string
  paused?: { at: string; reason?: string; until?: string }
  breaker: {
    state: 'closed' | 'open' | 'half_open'
    failures: number
    until?: string
    probe_in_flight: boolean
  }
  model_breakers: { model: string; state: string; until?: string }[]
  login_refused: boolean
  blocks: { scope: Record<string, string>; from: string; until?: string; failure: Failure }[]
  level: 'uncapped' | 'within' | 'near' | 'exhausted'
  windows: WindowUse[]
  has_probe: boolean
}

export interface Schedule {
  name: string
  capability: string
  cron: string
  time_zone: string
  enabled: boolean
  next_at: string | null
  last: { at: string; did: string; operation?: string } | null
}

export interface Status {
  retry_queue: { queued: number; next_retry_at?: string; exhausted?: number }
  due: number
  held: number
  running: number
  parked: { total: number; for: Record<string, number> }
  succeeded: number
  dead: number
  dead_as: Record<string, number>
  paused: { queue: boolean; capabilities: string[]; providers: string[] }
  providers: Provider[]
  runners: { id: string; label?: string; capabilities: string[]; started_at: string; seen_at: string }[]
  schedules: Schedule[]
  data: string
}

export interface Overview {
  at: string
  status: Status
  agenda: {
    from: string
    step_ms: number
    overdue: number
    due: number[]
    later: number
    held: Record<string, number>
    waiting: Record<string, number>
  }
  unknowns: {
    fingerprint: string
    provider?: string
    count: number
    /** Operations that now wait for its label. */
    parked: number
    last_seen_at: string
    message: string
  }[]
  /** Unread notices that need action, and those of them about operations and runs that have not been retried. */
  notices: {
    to_act_on: number
    deaths: { operation: string; title: string; at: string }[]
    failed_runs: { run: string; workflow: string; reason?: string; at: string }[]
  }
  questions: { run: string; workflow: string; step: string; question: string }[]
  last_event: number
}

/** Failed tries and ended operations, in steps of equal length. */
export interface Ends {
  from: string
  step_ms: number
  failures: Record<string, number[]>
  kinds: Record<string, number>
  succeeded: number[]
  dead: Record<string, number>
}

export interface ProviderHistory {
  from: string
  step_ms: number
  failures: Record<string, number[]>
  kinds: Record<string, number>
  changes: { at: string; type: string; data?: Record<string, unknown> }[]
  spent: { at: string; usd: number; tokens: number; requests: number }[]
}

export interface Counts {
  /** An estimate: counting would have taken too long. */
  about?: true
  total: number
  states: Record<State, number>
}

export interface Preview {
  token: string
  expires_at: string
  action: BulkAction
  total: number
  counts: Record<string, number>
  /** How many may already have taken effect, which nothing can check. */
  needs_person?: number
  operations: { id: string; capability: string; state: State; outcome: string; needs_person?: string }[]
}

export type BulkAction = 'retry' | 'cancel' | 'discard'

/** An unknown failure, once per fingerprint and provider. */
export interface Unknown {
  fingerprint: string
  provider: string | null
  count: number
  outcomes: Record<string, number>
  first_seen_at: string
  last_seen_at: string
  models: string[]
  samples: { at: string; message: string; operation: string | null }[]
  escalated_at: string | null
}

/** A person's label for a failure. */
export interface Label {
  id: string
  fingerprint: string
  provider: string | null
  class: string
  kind: string | null
  effect: string | null
  retry_after_ms: number | null
  signature: string | null
  who: string
  why: string | null
  at: string
}

export interface UnknownDetails {
  fingerprint: string
  unknowns: Unknown[]
  labels: Label[]
  parked: number
  proposed_signature: string | null
  no_signature_because: string | null
  suggestions: { similarity: number; label: Label }[]
}

export interface Backtest {
  failures: number
  matched: number
  flips: number
  changes: { from: string; to: string; count: number; is_flip: boolean; examples: string[] }[]
}

/** The effect that a label would have, or had. */
export interface Taught {
  fingerprint: string
  given: boolean
  labels?: string[]
  signature: string | null
  parked: number
  backtest: Backtest
}

export interface Notice {
  id: string
  event: string
  priority: 'low' | 'normal' | 'high' | 'urgent'
  disposition: 'actionable' | 'information'
  title: string
  body: string
  preview?: string
  session?: string
  operation?: string
  provider?: string
  fingerprint?: string
  created_at: string
  resolved_at?: string
  resolution?: string
  read_at?: string
  read_by?: string
  deliveries: {
    id: string
    surface: string
    state: string
    reference?: string
    reason?: string
    operation?: string
  }[]
}

/** A step of a workflow run. */
export interface Step {
  id: string
  run?: string
  ask?: string
  answer?: Record<string, { type: string; required: boolean }>
  after: string[]
  optional: boolean
  state: 'pending' | 'ready' | 'running' | 'retry_pending' | 'waiting' | 'succeeded' | 'failed' | 'skipped'
  reason?: string
  question?: string
  waits_for?: { what: string; until?: string; deadline?: string; steps?: string[] }
  operation?: string
  by?: string
  started_at?: string
  ended_at?: string
  has_result: boolean
  attempts?: number
  cost_usd?: number
}

export interface WorkflowRun {
  id: string
  workflow: string
  state: 'running' | 'succeeded' | 'failed' | 'cancelled'
  status: 'running' | 'blocked' | 'succeeded' | 'failed' | 'cancelled'
  reason?: string
  key?: string
  session?: string
  by: string
  params: unknown
  created_at: string
  updated_at: string
  ended_at?: string
  steps: Step[]
  actions?: { at: string; by: string; action: string; step?: string; note?: string }[]
}
