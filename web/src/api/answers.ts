// The daemon's answers that the dashboard uses: the types of the shapes that the daemon writes and documents them by.

import type { z } from 'zod'
import type { capabilityShape } from '../../../src/capability/capability-shape.ts'
import type { insights } from '../../../src/gateway/http/insights-shape.ts'
import type { ledgerSize } from '../../../src/gateway/http/ledger-size-shape.ts'
import type { ends, overview, providerHistory } from '../../../src/gateway/http/overview-shape.ts'
import type { listedSchedules } from '../../../src/gateway/http/schedule-shape.ts'
import type { noticeWithDeliveries } from '../../../src/notice/notice-shape.ts'
import type { bulkAction, keptPreview } from '../../../src/queue/bulk-shape.ts'
import type { attempt, counts, event, operation } from '../../../src/queue/operation-shape.ts'
import type { daemonStatus } from '../../../src/queue/status-shape.ts'
import type { failure, verdict } from '../../../src/shape/failure.ts'
import type { provider } from '../../../src/shape/provider.ts'
import type { backtest, label, taught, unknown, unknownDetails } from '../../../src/unknown/unknown-shape.ts'
import type { group, startableGroup } from '../../../src/workflow/group-shape.ts'
import type { action, step, workflow, workflowRun } from '../../../src/workflow/workflow-shape.ts'

export type Operation = z.output<typeof operation>
export type State = Operation['state']
/** The last failure of an operation. */
export type FailureSummary = NonNullable<Operation['failure']>
/** A failure with all its details. */
export type Failure = z.output<typeof failure>
export type Evidence = Failure['evidence']
export type Verdict = z.output<typeof verdict>
export type Attempt = z.output<typeof attempt>
export type LedgerEvent = z.output<typeof event>
export type Counts = z.output<typeof counts>
export type Provider = z.output<typeof provider>
export type WindowUse = Provider['windows'][number]
export type Schedule = z.output<typeof listedSchedules>['schedules'][number]
export type Status = z.output<typeof daemonStatus>
/** How large the ledger is, and how long history is kept. */
export type LedgerSize = z.output<typeof ledgerSize>
export type Overview = z.output<typeof overview>
/** Failed tries and ended operations, in steps of equal length. */
export type Ends = z.output<typeof ends>
/** How much was done over time, how long it took, and what it cost. */
export type Insights = z.output<typeof insights>
export type ProviderHistory = z.output<typeof providerHistory>
export type Preview = z.output<typeof keptPreview>
export type BulkAction = z.output<typeof bulkAction>
/** An unknown failure, once per fingerprint and provider. */
export type Unknown = z.output<typeof unknown>
/** A person's label for a failure. */
export type Label = z.output<typeof label>
export type UnknownDetails = z.output<typeof unknownDetails>
export type Backtest = z.output<typeof backtest>
/** The effect that a label would have, or had. */
export type Taught = z.output<typeof taught>
export type Notice = z.output<typeof noticeWithDeliveries>
/** Something that can be submitted, with a JSON schema of its parameters. */
export type Capability = z.output<typeof capabilityShape>
/** A workflow that can be started. */
export type Workflow = z.output<typeof workflow>
/** A group of agent runs. */
export type Group = z.output<typeof group>
/** A group of the config that can be started. */
export type StartableGroup = z.output<typeof startableGroup>
/** A step of a workflow run. */
export type Step = z.output<typeof step>
export type WorkflowRun = z.output<typeof workflowRun> & { actions?: z.output<typeof action>[] }
