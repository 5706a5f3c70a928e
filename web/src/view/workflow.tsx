import { useSignal } from '@preact/signals'
import type { Step, WorkflowRun } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Json } from '../part/json.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { copy, tell, tellProblem } from '../part/toast.tsx'
import { manyOf, usdInWords } from '../words/number.ts'
import { lengthInWords } from '../words/time.ts'
import { AnswerDialog } from './answer.tsx'
import { WorkflowGraph } from './workflow-graph.tsx'
import { RunBadge, STEP_TONES, stepInWords } from './workflows.tsx'

/** One workflow run: its graph, what each step waits for, and what can be done. */
export function WorkflowView({ id }: { id: string }) {
  const path = `/v1/workflow_runs/${encodeURIComponent(id)}`
  const run = useResource<WorkflowRun>(path, { atMostEveryMs: 700, everyMs: 15_000 })
  const act = async (action: string, words: string, body?: unknown) => {
    try {
      await post(`${path}/${action}`, body)
      tell(words)
      run.reload()
    } catch (error) {
      tellProblem(error)
    }
  }
  return (
    <Shown of={run} back={['/workflows', 'Workflows']}>
      {value => (
        <>
          <PageHead
            title={
              <>
                <a class="trail" href="/workflows">
                  Workflows
                </a>{' '}
                <span class="trail">/</span> <Foreign text={value.workflow} />
              </>
            }
            actions={
              <>
                {value.state === 'succeeded' ? null : (
                  <button
                    type="button"
                    class={value.state === 'failed' ? 'button primary' : 'button'}
                    title="Runs failed and waiting steps again; succeeded steps stay"
                    onClick={() => void act('retry', 'Failed and waiting steps run again')}
                  >
                    Retry the rest
                  </button>
                )}
                {value.state === 'running' ? (
                  <button type="button" class="button danger" onClick={() => void act('cancel', 'Cancelled')}>
                    Cancel
                  </button>
                ) : null}
              </>
            }
          >
            <RunBadge status={value.status} />
            <button type="button" class="button quiet mono" onClick={() => copy(id)} title="Copy the id">
              {id}
            </button>
          </PageHead>
          {value.reason ? (
            <section class="panel why" data-state={value.state === 'failed' ? 'dead' : value.state}>
              <p class="large">
                <DaemonWords text={value.reason} />
              </p>
            </section>
          ) : null}
          <Panel title="Graph">
            <WorkflowGraph steps={value.steps} />
          </Panel>
          <Panel title="Steps" tight>
            <ol class="steps">
              {value.steps.map(step => (
                <StepRow key={step.id} step={step} path={path} act={act} reload={run.reload} />
              ))}
            </ol>
          </Panel>
          <div class="split">
            <Panel title="Parameters">
              <Json value={value.params} />
            </Panel>
            <Panel title="Actions by people" tight>
              <Actions run={value} />
            </Panel>
          </div>
        </>
      )}
    </Shown>
  )
}

/** How long a step took, and what it cost. */
function StepNumbers({ step }: { step: Step }) {
  const { started_at: from, ended_at: to, attempts = 0, cost_usd: cost = 0 } = step
  return (
    <>
      {attempts > 0 ? ` · ${manyOf(attempts, 'try', 'tries')}` : ''}
      {from && to ? ` · took ${lengthInWords(Date.parse(to) - Date.parse(from))}` : ''}
      {cost > 0 ? ` · ${usdInWords(cost)}` : ''}
    </>
  )
}

/** People's actions on a run, oldest first. */
function Actions({ run: { actions = [], by, created_at: at } }: { run: WorkflowRun }) {
  return (
    <ol class="changes">
      {[{ at, by, action: 'started', step: undefined, note: undefined }, ...actions].map(
        ({ at: when, by: who, action, step, note }) => (
          <li key={`${when}${action}${step}`}>
            <span class="soft">
              <Moment at={when} as="both" />
            </span>
            <strong>{action}</strong>
            <span class="soft">
              {step ? (
                <>
                  <Foreign text={step} />,{' '}
                </>
              ) : null}
              by <Foreign text={who} />
              {note ? (
                <>
                  : <Foreign text={note} />
                </>
              ) : null}
            </span>
          </li>
        ),
      )}
    </ol>
  )
}

function StepRow({
  step,
  path,
  act,
  reload,
}: {
  step: Step
  path: string
  act: (action: string, words: string, body?: unknown) => Promise<void>
  reload: () => void
}) {
  const isAnswering = useSignal(false)
  const { id, run, ask, state, reason, question, waits_for: wait, operation, optional, after } = step
  const isOpen = state === 'retry_pending' || state === 'waiting' || state === 'failed'
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
        {wait ? (
          <p class="soft">
            Waits for <DaemonWords text={wait.what} />
            {wait.until ? (
              <>
                {' '}
                · continues <Moment at={wait.until} as="both" />
              </>
            ) : null}
            {wait.deadline ? (
              <>
                {' '}
                · gives up <Moment at={wait.deadline} as="both" />
              </>
            ) : null}
          </p>
        ) : null}
        {reason ? (
          <p class="soft">
            <DaemonWords text={reason} />
          </p>
        ) : null}
      </div>
      <div class="step-actions">
        {operation ? (
          <a class="button" href={`/operations/${operation}`}>
            Operation
          </a>
        ) : null}
        {isAsked ? (
          <button
            type="button"
            class="button primary"
            onClick={() => {
              isAnswering.value = true
            }}
          >
            Answer …
          </button>
        ) : null}
        {isOpen && !isAsked ? (
          <button
            type="button"
            class="button"
            onClick={() => void act('retry', `${id} runs again`, { step: id })}
          >
            Retry
          </button>
        ) : null}
        {isOpen ? (
          <button
            type="button"
            class="button"
            onClick={() => void act(`steps/${encodeURIComponent(id)}/skip`, `Continues without ${id}`)}
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
            if (done) reload()
          }}
        />
      ) : null}
    </li>
  )
}
