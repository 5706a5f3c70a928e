import { isSuccess } from '../../capability/kind/request.ts'
import { readButton } from '../surface/button.ts'
import { referenceTo } from '../surface/reference.ts'
import { ask, jsonOf, refused } from '../surface/request.ts'
import { telegramUrl } from '../surface/telegram.ts'
import { keepHearing, type PressDeps } from './hearing.ts'
import { type Press, type Pressed, press, saidOf } from './press.ts'

/** How long Telegram holds a question until somebody presses, in seconds. */
const HOLD_SECONDS = 50
/** How long an answer may take, in milliseconds. */
const ANSWER_WITHIN_MS = (HOLD_SECONDS + 15) * 1_000

/** A Telegram surface with buttons. */
export interface PressableChat {
  /** Name of the surface. */
  name: string
  token: string
  /** The only chat whose presses count: its id, or `@name`. */
  chat: string
  baseUrl?: string | undefined
  /** The only users whose presses count, by id. Default everybody in the chat. */
  users?: readonly string[] | undefined
}

interface Update {
  update_id: number
  callback_query?: {
    id?: unknown
    data?: unknown
    from?: { id?: unknown; username?: unknown }
    message?: { message_id?: unknown; chat?: { id?: unknown; username?: unknown } }
  }
}

/** Asks Telegram for presses until the signal aborts. Two daemons cannot ask for one bot: only one of them hears. */
export function listenToTelegram(chat: PressableChat, deps: PressDeps): Promise<void> {
  return keepHearing(() => hearOnce(chat, deps), deps)
}

/** Waits for presses, and does what they say. */
export async function hearOnce(chat: PressableChat, deps: PressDeps): Promise<void> {
  const { ledger, signal } = deps
  const setting = `notice.presses.${chat.name}`
  const offset = await ledger.setting(setting)
  const answer = await asked(chat, 'getUpdates', signal, {
    timeout: HOLD_SECONDS,
    allowed_updates: ['callback_query'],
    ...(typeof offset === 'number' ? { offset } : {}),
  })
  const { result } = (jsonOf(answer) ?? {}) as { result?: unknown }
  if (!Array.isArray(result)) throw new Error('Telegram did not answer with a list of updates')
  for (const update of result as Update[]) {
    const given = pressIn(update, chat)
    const did = given && (await press(ledger, chat.name, given, deps.time.now()))
    // Before the answer: after a crash the same press comes again, and then does nothing.
    await ledger.setSetting(setting, update.update_id + 1)
    await answerPress(update, given, did, chat, signal)
  }
}

/** The press in an update; undefined if it is none, or of somebody else. */
function pressIn({ callback_query: query }: Update, { chat, users }: PressableChat): Press | undefined {
  const button = readButton(query?.data)
  const place = query?.message
  const isHere = chat.startsWith('@')
    ? `@${place?.chat?.username}`.toLowerCase() === chat.toLowerCase()
    : String(place?.chat?.id) === chat
  const user = String(query?.from?.id)
  if (button === undefined || !isHere) return undefined
  if (users !== undefined && !users.includes(user)) return undefined
  return {
    ...button,
    reference: referenceTo(Number(place?.message_id)),
    by: `Telegram user ${user}`,
  }
}

/** Tells the person what happened. A press that does not count gets no words, only the end of the waiting sign. */
async function answerPress(
  { callback_query: query }: Update,
  given: Press | undefined,
  did: Pressed | undefined,
  chat: PressableChat,
  signal: AbortSignal,
): Promise<void> {
  if (typeof query?.id !== 'string') return
  const text = given && did ? { text: saidOf(did, given.action) } : {}
  // Telegram refuses answers after a while; the press counted all the same.
  await asked(chat, 'answerCallbackQuery', signal, { callback_query_id: query.id, ...text }).catch(() => {})
  if (did === 'done' && given?.action === 'read')
    await asked(chat, 'editMessageReplyMarkup', signal, {
      chat_id: chat.chat,
      message_id: query.message?.message_id,
    }).catch(() => {})
}

async function asked(
  chat: PressableChat,
  method: string,
  signal: AbortSignal,
  body: Record<string, unknown>,
) {
  const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
  const answer = await ask({ title: 'Telegram', url: telegramUrl(chat, method), body, signal: within })
  if (!isSuccess(answer)) throw refused('Telegram', answer)
  return answer
}
