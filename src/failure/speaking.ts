import type { FailureKind } from './failure.ts'
import { ANSWER, type Observation } from './observe/observation.ts'
import { END_OF_PROCESS } from './observe/process.ts'
import { belongsToPart, isOwnField, isPassedOn, partOf } from './part.ts'
import type { Candidate } from './precedence.ts'
import { isStronger, type Speaker } from './speaker.ts'

/** A piece of evidence: where it stood, whether it was a field or a text, and what it was taken for. */
type Said = Pick<Candidate, 'where' | 'structured' | 'quoted' | 'coded'> & { rule?: { kind: FailureKind } }

/** What a client sees of a connection that it could not make. */
const CONNECTION: ReadonlySet<FailureKind> = new Set(['network', 'dns', 'connect_timeout', 'tls'])

const OPERATOR = new Set(['signature', 'fingerprint'])

/** Who says a piece of evidence. */
export function speakerOf(said: Said, observation: Observation): Speaker {
  const { where } = said
  if (where === 'caller' || where === 'input') return 'us'
  if (OPERATOR.has(where)) return 'operator'
  if (isOfAnswer(where)) return 'model'
  switch (observation.source) {
    case 'process':
      return inProcess(said, observation)
    case 'tool':
      return 'behind'
    case 'text':
      return 'prose'
    default:
      return inAnswer(said, observation)
  }
}

function isOfAnswer(where: string): boolean {
  return where.includes(`.${ANSWER}`) && where.split('.')[1] === ANSWER
}

/** An agent CLI prints its own notices and, at exit code 0, the model's answer. Another program prints anything. */
function inProcess({ where, structured, quoted }: Said, { process }: Observation): Speaker {
  if (where === END_OF_PROCESS || where.startsWith(`${END_OF_PROCESS}.`)) return 'transport'
  // The library that ran it speaks beside the streams.
  if (where.startsWith('error')) return structured && !quoted ? 'transport' : 'prose'
  if (process?.agent === undefined) return 'prose'
  if (process.exitCode === 0 && where === 'stdout') return 'model'
  return structured && !quoted ? 'typed' : 'notice'
}

/** An error, an HTTP answer or a returned value. */
function inAnswer(said: Said, observation: Observation): Speaker {
  const { where, structured, quoted, coded, rule } = said
  const part = partOf(where)
  if (structured && !quoted && isTransport(where, rule?.kind, part, observation)) return 'transport'
  if ((structured && !quoted) || coded) return isOfUpstream(where, part, observation) ? 'behind' : 'typed'
  if (isMessageOfClient(said, part, observation)) return 'transport'
  return isServerError(part, observation) ? 'behind' : 'prose'
}

function isTransport(
  where: string,
  kind: FailureKind | undefined,
  part: string,
  observation: Observation,
): boolean {
  if (!isOwnField(where)) return false
  if (/headers$/i.test(where)) return true
  if (observation.statuses.some(status => status.where === where)) return true
  return observation.source === 'error' && isConnection(kind) && !hasAnswer(part, observation)
}

/** An error that came without an answer was made by the client: it says itself why there was no connection. */
function isMessageOfClient({ where, rule }: Said, part: string, observation: Observation): boolean {
  return (
    observation.source === 'error' &&
    isConnection(rule?.kind) &&
    where === `${part}.message` &&
    !hasAnswer(part, observation)
  )
}

export function isConnection(kind: FailureKind | undefined): boolean {
  return kind !== undefined && CONNECTION.has(kind)
}

/** True if a server answered: then the connection was made, whatever the answer says. */
export function hasAnswer(part: string, { statuses, headers, toldHeaders }: Observation): boolean {
  return (
    headers.size + toldHeaders.size > 0 ||
    statuses.some(({ where, quoted }) => !quoted && partOf(where) === part)
  )
}

/** True for what a server that failed passes on from another. A configured gateway vouches for whom it asked. */
export function isOfUpstream(where: string, part: string, observation: Observation): boolean {
  return !observation.isGateway && isPassedOn(where) && isServerError(part, observation)
}

/** True if the server that was asked failed: then its words may be those of somebody behind it. */
function isServerError(part: string, { statuses }: Observation): boolean {
  return statuses.some(
    ({ where, value, quoted }) =>
      value >= 500 && !quoted && belongsToPart(where) && partOf(where) === part && isOwnField(where),
  )
}

/** Kinds that say the same about a provider. */
function isSameKind(a: FailureKind, b: FailureKind): boolean {
  return a === b || ((a === 'auth' || a === 'forbidden') && (b === 'auth' || b === 'forbidden'))
}

/** The strongest speaker that says the same as the deciding candidate, if it is stronger than that one's. */
export function backerOf(
  candidates: readonly Candidate[],
  own: Speaker,
  observation: Observation,
): Speaker | undefined {
  const [winner] = candidates as readonly [Candidate]
  let best = own
  for (const other of candidates) {
    if (other.late !== winner.late || other.rule.class !== winner.rule.class) continue
    if (!isSameKind(other.rule.kind, winner.rule.kind)) continue
    if (other === winner) continue
    const speaker = speakerOf(other, observation)
    if (isStronger(speaker, best)) best = speaker
  }
  return best === own ? undefined : best
}
