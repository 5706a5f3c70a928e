import type { Attempt, Failure, Verdict } from '../api/answers.ts'
import { Badge, ClassBadge } from '../part/badge.tsx'
import { DaemonWords } from '../part/daemon-words.tsx'
import { Excerpt } from '../part/excerpt.tsx'
import { Foreign } from '../part/foreign.tsx'
import { Json } from '../part/json.tsx'
import { Moment } from '../part/moment.tsx'
import { usdInWords } from '../words/number.ts'
import { stoppedInWords } from '../words/stopped.ts'
import { lengthInWords } from '../words/time.ts'
import { EFFECTS, PARKED_UNTIL } from '../words/why.ts'

/** One try: its failure in words, the evidence, and the verdict. */
export function AttemptView({
  attempt,
  isOpen,
  isJob,
}: {
  attempt: Attempt
  isOpen: boolean
  /** Whether it is of a job of another engine: its note is what the worker tells later ones. */
  isJob: boolean
}) {
  const { number, run, provider, model, failure, verdict, cost_usd: cost, turns, note } = attempt
  const length = Date.parse(attempt.ended_at) - Date.parse(attempt.started_at)
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <span class="try-number">Try {number}</span>
          {failure ? (
            <ClassBadge of={failure.class} kind={failure.kind} />
          ) : (
            <Badge tone="good">succeeded</Badge>
          )}
          <span class="try-message soft">{failure ? <Foreign text={failure.message} cut /> : null}</span>
          <span class="soft">{provider ?? ''}</span>
          <span class="soft number">{lengthInWords(length)}</span>
        </summary>
        <div class="try">
          <dl class="facts">
            <Fact name="Began">
              <Moment at={attempt.started_at} as="both" />
            </Fact>
            <Fact name="Run">{run}</Fact>
            {provider ? <Fact name="Provider">{provider}</Fact> : null}
            {model ? <Fact name="Model">{model}</Fact> : null}
            {cost === undefined ? null : <Fact name="Cost">{usdInWords(cost)}</Fact>}
            {turns === undefined ? null : <Fact name="Turns">{turns}</Fact>}
            {failure ? <Fact name="Effect">{EFFECTS[failure.effect] ?? failure.effect}</Fact> : null}
            {failure?.status === undefined ? null : <Fact name="Status">{failure.status}</Fact>}
            {failure?.code ? (
              <Fact name="Code">
                <Foreign text={failure.code} />
              </Fact>
            ) : null}
            {failure?.exit_code === undefined ? null : <Fact name="Exit code">{failure.exit_code}</Fact>}
            {failure?.reset_at ? (
              <Fact name="Resets">
                <Moment at={failure.reset_at} as="both" />
              </Fact>
            ) : null}
          </dl>
          {failure ? <Evidence failure={failure} /> : null}
          {verdict ? <Decided verdict={verdict} /> : null}
          {note === undefined || isJob ? null : (
            <section>
              <h3>Note</h3>
              <Json value={note} />
            </section>
          )}
        </div>
      </details>
    </li>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The excerpt within the whole text, and the rules that matched and lost. */
function Evidence({ failure: { evidence, text, message } }: { failure: Failure }) {
  const { rule, where, excerpt, lost } = evidence
  return (
    <section>
      <h3>
        {rule === 'none' ? (
          'No rule matched'
        ) : (
          <>
            Evidence <span class="faint">rule</span> <code>{rule}</code> <span class="faint">on</span>{' '}
            <code>{where}</code>
          </>
        )}
      </h3>
      <Excerpt text={text ?? (excerpt === '' ? message : excerpt)} excerpt={excerpt} />
      {lost.length > 0 ? (
        <details class="lost">
          <summary class="soft">
            {lost.length} other {lost.length === 1 ? 'rule' : 'rules'} matched and lost
          </summary>
          <ul>
            {lost.map(each => (
              <li key={`${each.rule}:${each.excerpt}`}>
                <code>{each.rule}</code> <Foreign text={each.excerpt} cut />
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  )
}

/** What was decided, unless it was the end. */
const DECIDED: Readonly<Record<Exclude<Verdict['action'], 'cancel'>, string>> = {
  retry: 'try again',
  failover: 'ask the next provider',
  snooze: 'wait',
  park: 'park',
}

function Decided({ verdict }: { verdict: Verdict }) {
  const { action, delay_ms: delay, until, reason, rule } = verdict
  return (
    <section>
      <h3>
        {action === 'cancel' ? (
          stoppedInWords(verdict.as)
        ) : (
          <>
            Verdict: <strong class="verdict">{DECIDED[action]}</strong>
            {delay === undefined ? '' : ` after ${lengthInWords(delay)}`}
            {until ? (
              <>
                {' '}
                until <Moment at={until} as="both" />
              </>
            ) : null}
            {verdict.for ? ` until ${PARKED_UNTIL[verdict.for] ?? verdict.for}` : ''}
          </>
        )}
      </h3>
      <p>
        <DaemonWords text={reason} /> <span class="faint small">rule {rule}</span>
      </p>
    </section>
  )
}
