import { useSignal } from '@preact/signals'
import { authorInWords } from '../../../src/workflow/author-words.ts'
import { groupOfWorkflow } from '../../../src/workflow/group-name.ts'
import type { WorkflowRun } from '../api/answers.ts'
import { doubtOf } from '../api/doubt.ts'
import { post } from '../api/request.ts'
import { useResource } from '../live/resource.ts'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Json } from '../part/json.tsx'
import { Moment } from '../part/moment.tsx'
import { PageHead, Panel } from '../part/panel.tsx'
import { Shown } from '../part/standing.tsx'
import { copy, tell, tellProblem } from '../part/toast.tsx'
import { RunAgainDialog } from './run-again.tsx'
import { StepRow } from './step-row.tsx'
import { WorkflowGraph } from './workflow-graph.tsx'
import { RunBadge } from './workflows.tsx'

/** Something that would run operations again, one of which may then take effect twice. */
interface Asked {
  why: string
  go: () => Promise<void>
}

/** One workflow run: its graph, what each step waits for, and what can be done. */
export function WorkflowView({ id }: { id: string }) {
  const path = `/v1/workflow_runs/${encodeURIComponent(id)}`
  const run = useResource<WorkflowRun>(path, { atMostEveryMs: 700, everyMs: 15_000 })
  const asked = useSignal<Asked | undefined>(undefined)
  const act = async (action: string, words: string, body?: object) => {
    try {
      await post(`${path}/${action}`, body)
      tell(words)
      run.reload()
    } catch (error) {
      const why = doubtOf(error)
      if (why === undefined) tellProblem(error)
      else asked.value = { why, go: () => act(action, words, { ...body, may_repeat: true }) }
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
                <span class="trail">/</span>{' '}
                <Foreign text={groupOfWorkflow(value.workflow) ?? value.workflow} />
              </>
            }
            actions={
              <>
                {value.state === 'succeeded' ? null : (
                  <button
                    type="button"
                    class={value.state === 'failed' ? 'button primary' : 'button'}
                    title="Runs failed and waiting steps again; succeeded steps stay"
                    onClick={() => void act('retry', 'Failed and waiting steps are retried')}
                  >
                    Retry the rest
                  </button>
                )}
                {value.state === 'running' ? (
                  <button
                    type="button"
                    class="button danger"
                    title="Ends the run and its open operations; it can be retried"
                    onClick={() => void act('cancel', 'Cancelled')}
                  >
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
                <StepRow
                  key={step.id}
                  step={step}
                  path={path}
                  isCancelled={value.state === 'cancelled'}
                  actions={{
                    retry: ({ id: of }) => void act('retry', `${of} is retried`, { step: of }),
                    retryFrom: ({ id: of }) =>
                      void act('retry', `${of} and what depends on it run again`, { step: of, from: true }),
                    skip: ({ id: of }) =>
                      void act(`steps/${encodeURIComponent(of)}/skip`, `The run continues without ${of}`),
                    reload: run.reload,
                  }}
                />
              ))}
            </ol>
          </Panel>
          <div class="split">
            <Panel title="Parameters">
              <Json value={value.params} />
            </Panel>
            <Panel title="What was done by hand" tight>
              <Actions run={value} />
            </Panel>
          </div>
          {asked.value ? (
            <RunAgainDialog
              why={asked.value.why}
              onClose={isWanted => {
                const { go } = asked.value as Asked
                asked.value = undefined
                if (isWanted) void go()
              }}
            />
          ) : null}
        </>
      )}
    </Shown>
  )
}

const ACTIONS: Readonly<Record<string, string>> = {
  retry: 'retried',
  retry_from: 'retried from here',
  skip: 'skipped',
  cancel: 'cancelled',
}

/** The start of a run and people's actions on it, oldest first. */
function Actions({ run: { steps, actions = [], by, created_at: at } }: { run: WorkflowRun }) {
  const inWords = (action: string, step: string | undefined) => {
    const isQuestion = steps.some(({ id, ask }) => id === step && ask !== undefined)
    return action === 'advance' ? (isQuestion ? 'answered' : 'supplied') : (ACTIONS[action] ?? action)
  }
  return (
    <ol class="changes">
      {[{ at, by, action: 'started', step: undefined, note: undefined }, ...actions].map(
        ({ at: when, by: who, action, step, note }) => (
          <li key={`${when}${action}${step}`}>
            <span class="soft">
              <Moment at={when} as="both" />
            </span>
            <strong>{inWords(action, step)}</strong>
            <span class="soft">
              {step ? (
                <>
                  <Foreign text={step} />,{' '}
                </>
              ) : null}
              <Foreign text={authorInWords(who)} />
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
