import { cleaningUp } from '../../time/clean-up.ts'
import { sleep } from '../../time/time.ts'
import { readButton } from '../surface/button.ts'
import { referenceTo } from '../surface/reference.ts'
import { jsonOf } from '../surface/request.ts'
import { askSlack } from '../surface/slack.ts'
import { keepHearing, type PressDeps } from './hearing.ts'
import { type Press, press, saidOf } from './press.ts'

/** How long Slack may take to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 15_000
/** A connection is replaced after this time, in milliseconds, because one that broke silently looks like one without presses. */
const RENEW_AFTER_MS = 1_800_000
/** A connection that ends sooner than this, in milliseconds, failed: opening the next at once would ask Slack without pause. */
const SHORTEST_MS = 5_000
/** Longest envelope that is read, in characters. */
const LONGEST_ENVELOPE = 1_048_576

/** A Slack surface with buttons. */
export interface PressableChannel {
  /** Name of the surface. */
  name: string
  /** Token of the bot, which answers presses. */
  token: string
  /** App-level token (`xapp-…`), which opens the connection that presses come through. */
  appToken: string
  baseUrl?: string | undefined
  /** The only users whose presses count, by id. Default everybody in the channel. */
  users?: readonly string[] | undefined
}

/** What Slack sends through a connection of its Socket Mode. */
interface Envelope {
  type?: unknown
  reason?: unknown
  envelope_id?: unknown
  payload?: {
    type?: unknown
    user?: { id?: unknown }
    channel?: { id?: unknown }
    message?: { ts?: unknown; text?: unknown; blocks?: { type?: unknown }[] }
    actions?: { value?: unknown }[]
  }
}

/** Hears presses through a connection to Slack until the signal aborts, so the daemon needs no public address. */
export function listenToSlack(channel: PressableChannel, deps: PressDeps): Promise<void> {
  return keepHearing(() => hearConnection(channel, deps), deps)
}

/** Opens a connection and does what its presses say, until Slack or time ends it. Rejects if it fails. */
export async function hearConnection(channel: PressableChannel, deps: PressDeps): Promise<void> {
  const { time, signal, onError } = deps
  const socket = new WebSocket(await addressOf(channel, signal))
  const opened = time.monotonic()
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])
  const renewed = sleep(time, RENEW_AFTER_MS, either).catch(() => {})
  let last: Promise<unknown> = Promise.resolve()
  const ended = () =>
    new Promise<void>((resolve, reject) => {
      let isGreeted = false
      const endsIt = () =>
        time.monotonic() - opened < SHORTEST_MS
          ? reject(new Error('Slack ends connections as soon as they are open'))
          : resolve()
      renewed.then(resolve)
      sleep(time, ANSWER_WITHIN_MS, either).then(
        () => isGreeted || reject(new Error('Slack does not greet who connects')),
        () => {},
      )
      socket.addEventListener('error', () => reject(new Error('the connection to Slack failed')))
      socket.addEventListener('close', () =>
        isGreeted ? endsIt() : reject(new Error('Slack closed the connection before its greeting')),
      )
      socket.addEventListener('message', ({ data }) => {
        const envelope = readEnvelope(data)
        if (envelope?.type === 'hello') isGreeted = true
        if (envelope?.type === 'disconnect')
          if (envelope.reason === 'link_disabled') reject(new Error('Socket Mode is off for this Slack app'))
          else endsIt()
        if (typeof envelope?.envelope_id === 'string')
          // One after another: the second of two presses must see what the first did.
          last = last.then(() => take(envelope, channel, deps, socket)).catch(onError)
      })
    })
  await cleaningUp(
    ended,
    () => over.abort(),
    () => last,
    () => socket.close(),
  )
}

async function addressOf(channel: PressableChannel, signal: AbortSignal): Promise<string> {
  const { appToken: token, baseUrl } = channel
  const answer = await askSlack({ token, baseUrl }, 'apps.connections.open', {}, within(signal))
  const { url } = (jsonOf(answer) ?? {}) as { url?: unknown }
  // Whoever reads along could press.
  const isSafe = baseUrl?.startsWith('http:') ? /^wss?:/ : /^wss:/
  if (typeof url !== 'string' || !isSafe.test(url)) throw new Error('Slack gave no address to listen at')
  return url
}

function readEnvelope(data: unknown): Envelope | undefined {
  if (typeof data !== 'string' || data.length > LONGEST_ENVELOPE) return undefined
  try {
    return (JSON.parse(data) as Envelope | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Does what a press says, then confirms it: what is not confirmed Slack sends again, and then it does nothing. */
async function take(
  { envelope_id, payload }: Envelope,
  channel: PressableChannel,
  { ledger, time, signal }: PressDeps,
  socket: WebSocket,
): Promise<void> {
  const given = pressIn(payload, channel)
  const did = given && (await press(ledger, channel.name, given, time.now()))
  socket.send(JSON.stringify({ envelope_id }))
  if (given === undefined || did === undefined) return
  const place = { channel: payload?.channel?.id }
  const say = { ...place, user: payload?.user?.id, text: saidOf(did, given.action) }
  // The press counted, whether or not Slack takes the answer.
  await askSlack(channel, 'chat.postEphemeral', say, within(signal)).catch(() => {})
  if (did !== 'done' || given.action !== 'read') return
  const { ts, text, blocks = [] } = payload?.message ?? {}
  const rest = blocks.filter(({ type }) => type !== 'actions')
  await askSlack(channel, 'chat.update', { ...place, ts, text, blocks: rest }, within(signal)).catch(() => {})
}

/**
 * The press in a payload; undefined if it is none, or of somebody else. Nobody outside the channel can press: the button's
 * value is secret, and the message must be the one that was sent.
 */
function pressIn(payload: Envelope['payload'], { users }: PressableChannel): Press | undefined {
  const button = payload?.type === 'block_actions' ? readButton(payload.actions?.[0]?.value) : undefined
  const user = String(payload?.user?.id)
  const ts = payload?.message?.ts
  if (button === undefined || typeof ts !== 'string') return undefined
  if (users !== undefined && !users.includes(user)) return undefined
  return { ...button, reference: referenceTo(ts), by: `Slack user ${user}` }
}

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
}
