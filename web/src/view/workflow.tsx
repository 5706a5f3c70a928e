import { useSignal } from '@preact/signals'
import type { Step, WorkflowRun } from '../api/answers.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { Badge } from '../part/badge.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Json } from '../part/json.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { copy, tell, tellProblem } from '../part/toast.tsx'
import { AnswerDialog } from './answer.tsx'
import { WorkflowGraph } from './workflow-graph.tsx'
import { RunBadge, STEP_TONES } from './workflows.tsx'

/** One run of a workflow: its graph, what each step waits for, and how to help it on. */
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
    <Shown of={run}>
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
                    class="button primary"
                    onClick={() => void act('retry', 'What failed or waits runs again')}
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
                <Foreign text={value.reason} />
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
            <Panel title="What was done to it" tight>
              <ol class="changes">
                {(value.actions ?? []).map(({ at, by, action, step, note }) => (
                  <li key={`${at}${action}${step}`}>
                    <span class="soft">
                      <Moment at={at} as="both" />
                    </span>
                    <strong>{action}</strong>
                    <span class="soft">
                      {step ? `${step}, ` : ''}by <Foreign text={by} />
                      {note ? (
                        <>
                          : <Foreign text={note} />
                        </>
                      ) : null}
                    </span>
                  </li>
                ))}
              </ol>
            </Panel>
          </div>
        </>
      )}
    </Shown>
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
      <Badge tone={STEP_TONES[state]}>{state}</Badge>
      <div class="step-text">
        <p>
          <strong>
            <Foreign text={id} />
          </strong>{' '}
          <span class="soft">
            {run ?? 'asks'}
            {optional ? ', optional' : ''}
            {after.length > 0 ? `, after ${after.join(', ')}` : ''}
          </span>
        </p>
        {question ? (
          <p>
            <Foreign text={question} />
          </p>
        ) : null}
        {wait ? (
          <p class="soft">
            waits for <Foreign text={wait.what} />
            {wait.until ? (
              <>
                {' '}
                · goes on <Moment at={wait.until} as="both" />
              </>
            ) : null}
            {wait.deadline ? (
              <>
                {' '}
                · its time is over <Moment at={wait.deadline} as="both" />
              </>
            ) : null}
          </p>
        ) : null}
        {reason ? (
          <p class="soft">
            <Foreign text={reason} />
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
            onClick={() => void act(`steps/${encodeURIComponent(id)}/skip`, `Goes on without ${id}`)}
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
