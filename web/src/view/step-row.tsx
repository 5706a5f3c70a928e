import { useSignal } from '@preact/signals'
import type { Step } from '../api/answers.ts'
import { Badge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Moment } from '../part/moment.tsx'
import { manyOf, usdInWords } from '../words/number.ts'
import { lengthInWords } from '../words/time.ts'
import { AnswerDialog } from './answer.tsx'
import { StepResult } from './step-result.tsx'
import { STEP_TONES, stepInWords } from './workflows.tsx'

/** What a person can do to the run of a step. */
export interface StepActions {
  retry: (step: Step) => void
  skip: (step: Step) => void
  /** Runs it and all that depend on it again. */
  retryFrom: (step: Step) => void
  /** After a result was supplied. */
  reload: () => void
}

/** One step: its state, what it waits for, its result, and what can be done. */
export function StepRow({
  step,
  path,
  isCancelled,
  actions,
}: {
  step: Step
  /** Of the run, in the API. */
  path: string
  /** Whether the run was cancelled: then it must be retried before anything else. */
  isCancelled: boolean
  actions: StepActions
}) {
  const isAnswering = useSignal(false)
  const { id, run, ask, state, reason, question, operation, optional, after, has_result: hasResult } = step
  const isOpen = !isCancelled && (state === 'retry_pending' || state === 'waiting' || state === 'failed')
  const isAsked = ask !== undefined && state === 'waiting'
  return (
    <li>
      <Badge tone={STEP_TONES[state]}>{stepInWords(state)}</Badge>
      <div class="step-text">
        <p>
          <strong>
            <Foreign text={id} />
          </strong>{' '}
          <span class="soft">
            {run === undefined ? 'asks a person' : `runs ${run}`}
            {optional ? ', optional' : ''}
            {after.length > 0 ? `, after ${after.join(', ')}` : ''}
            <StepNumbers step={step} />
          </span>
        </p>
        {question ? (
          <p>
            <Foreign text={question} />
          </p>
        ) : null}
        <Waiting step={step} />
        {reason ? (
          <p class="soft">
            <DaemonWords text={reason} />
          </p>
        ) : null}
        {hasResult ? (
          <StepResult
            path={`${path}/steps/${encodeURIComponent(id)}`}
            word={run === undefined ? 'Answer' : 'Result'}
          />
        ) : null}
      </div>
      <div class="step-actions">
        {operation ? (
          <a class="button" href={`/operations/${operation}`}>
            Operation
          </a>
        ) : null}
        {isOpen && !isAsked ? (
          <button type="button" class="button" onClick={() => actions.retry(step)}>
            Retry
          </button>
        ) : null}
        {!isCancelled && (state === 'succeeded' || state === 'failed' || state === 'skipped') ? (
          <button
            type="button"
            class="button"
            title="Runs it and all steps that depend on it again, even those that have succeeded"
            onClick={() => actions.retryFrom(step)}
          >
            Retry from here
          </button>
        ) : null}
        {isOpen ? (
          <button
            type="button"
            class={isAsked ? 'button primary' : 'button'}
            title={isAsked ? undefined : 'You supply its result, and the run continues with it'}
            onClick={() => {
              isAnswering.value = true
            }}
          >
            {isAsked ? 'Answer …' : 'Supply result …'}
          </button>
        ) : null}
        {isOpen ? (
          <button
            type="button"
            class="button"
            title="The run continues without it; steps that use its result get null"
            onClick={() => actions.skip(step)}
          >
            Skip
          </button>
        ) : null}
      </div>
      {isAnswering.value ? (
        <AnswerDialog
          step={step}
          path={path}
          onClose={done => {
            isAnswering.value = false
            if (done) actions.reload()
          }}
        />
      ) : null}
    </li>
  )
}

/** What a step waits for, and until when. */
function Waiting({ step: { waits_for: wait } }: { step: Step }) {
  if (!wait) return null
  return (
    <p class="soft">
      Waits for <DaemonWords text={wait.what} />
      {wait.until ? (
        <>
          {' '}
          · continues at <Moment at={wait.until} as="both" />
        </>
      ) : null}
      {wait.deadline ? (
        <>
          {' '}
          · gives up at <Moment at={wait.deadline} as="both" />
        </>
      ) : null}
    </p>
  )
}

/** How often a step was tried, how long it took, and what it cost. */
function StepNumbers({ step }: { step: Step }) {
  const { state, started_at: from, ended_at: to, attempts = 0, cost_usd: cost = 0 } = step
  const hasRun = attempts > 0 || state === 'succeeded'
  return (
    <>
      {attempts > 0 ? ` · ${manyOf(attempts, 'try', 'tries')}` : ''}
      {hasRun && from && to ? ` · took ${lengthInWords(Date.parse(to) - Date.parse(from))}` : ''}
      {cost > 0 ? ` · ${usdInWords(cost)}` : ''}
    </>
  )
}
