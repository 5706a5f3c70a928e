import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

/** Answers of agents and programs that exit 0: they quote an error, define one, or report on work about one. */
const ANSWERS = [
  // An error in quotation marks, and what it is about.
  '“余额不足 (402 Insufficient Balance)” 表示账户余额已用完，需要先充值；它不是限流错误，所以程序不应该重试。',
  '「429 Too Many Requests」是限流错误，等待一分钟后重试即可。',
  '“请求过于频繁”这条提示来自网关，我已经把它翻译成英文。',
  '"Rate limit exceeded" is what the server says when you send more than 60 requests per minute.',
  "'Insufficient balance' is the vendor's wording for an empty account.",
  '`Too many requests` is thrown by the limiter in front of the API.',
  '«Слишком много запросов» означает, что превышен лимит; подождите минуту.',
  '« Trop de requêtes » signifie que la limite est atteinte.',
  '„Zu viele Anfragen“ bedeutet, dass das Kontingent aufgebraucht ist.',
  '«Demasiadas solicitudes» significa que se ha superado el límite.',
  '"Troppe richieste" significa che il limite è stato superato.',
  '"Muitas solicitações" significa que o limite foi excedido.',
  '『残高不足』は、アカウントの残高がなくなったという意味です。',
  '「レート制限」とは、一定時間内のリクエスト数の上限のことです。',
  "'잔액 부족'은 계정의 잔액이 없다는 뜻입니다.",
  '“Quota exceeded”: the account used its allowance.',
  '"Error: 429" means too many requests.',
  '"You have reached your limit." That is the whole message.',
  // Reports.
  '我已经在限流错误上加了重试。',
  '我已把“配额已用完”的提示翻译好了。',
  '已修复：请求频率过高时会等待一分钟。',
  '已添加余额不足的错误处理。',
  '配额用完时现在会显示新的提示。',
  'レート制限のエラー処理を追加しました。',
  '残高不足のときのメッセージを修正しました。',
  '요청이 너무 많을 때의 처리를 추가했습니다.',
  'Добавил обработку ошибки «слишком много запросов».',
  'Я исправил сообщение о том, что квота исчерпана.',
  'Ich habe die Meldung „Kontingent aufgebraucht“ ergänzt.',
  'Der Fehler trat auf, weil das Kontingent aufgebraucht war; der Test ist angepasst.',
  "J'ai ajouté la gestion de « trop de requêtes ».",
  'He añadido el manejo de demasiadas solicitudes.',
  'Ho aggiunto la gestione di troppe richieste.',
  'Adicionei o tratamento de muitas solicitações.',
  'Dodałem obsługę błędu za dużo zapytań.',
  'I added a retry for rate limit exceeded.',
  'I have documented the error: insufficient balance.',
  'We now show "quota exceeded" in red.',
  'Added handling for too many requests.',
  'Documented: insufficient credits and what to do about it.',
  'Done. Rate limit exceeded errors are retried.',
  'Fixed: rate limit exceeded.',
  'Done: usage limit reached is now caught.',
  // Definitions and facts.
  'Rate limit exceeded means that too many requests were sent.',
  'Insufficient balance means the account is empty.',
  '429 means too many requests.',
  'Quota exceeded stands for an allowance that is used up.',
  'Too many requests refers to status 429.',
  'HTTP 402 表示余额不足。',
  '402 的意思是余额不足。',
  '限流是指在一段时间内限制请求次数。',
  '余额不足是什么意思？就是账户里没有钱了。',
  'レート制限とはリクエスト数の上限です。',
  'Zu viele Anfragen heißt, dass der Dienst begrenzt.',
  'Guthaben aufgebraucht bedeutet: das Konto ist leer.',
  'Solde insuffisant veut dire que le compte est vide.',
  'Saldo insuficiente quiere decir que la cuenta está vacía.',
  'Недостаточно средств означает, что счёт пуст.',
  'Error 429: what it means and how to avoid it',
  'The message "insufficient balance" appears when the account is empty.',
  'Why do I get "rate limit exceeded"? Because too many requests were sent.',
  '翻译：请求过多，请稍后再试。',
  'Translation: too many requests, please try again later.',
  'Übersetzung: Zu viele Anfragen, bitte später erneut versuchen.',
  'The German text is: Kontingent aufgebraucht.',
  '1. Rate limit exceeded\n2. Quota exceeded\n3. Insufficient balance',
  '- 429: too many requests\n- 402: insufficient balance',
  'en: Too many requests\nde: Zu viele Anfragen',
  '// rate limit exceeded',
  '🎉 Release\nRate limit exceeded',
  'Report 2026.05\nQuota exceeded',
  'Errore: nessuno',
  'エラー: なし',
  '错误：无',
  '| code | meaning |\n|---|---|\n| 429 | too many requests |',
]

const exited0 = (stdout: string) => ({ exitCode: 0, signal: null, stdout: `${stdout}\n`, stderr: '' })

describe('an answer that explains a failure', () => {
  it.each(ANSWERS)('is an answer of any agent: %s', answer => {
    for (const provider of ['claude', 'kimi-cli', 'gemini-cli', 'goose', 'some-tool', undefined])
      expect(classify(exited0(answer), { provider })).toBeNull()
    expect(classify(answer, { returned: true })).toBeNull()
  })
})

describe('a notice in any language', () => {
  it.each([
    ['余额不足，请充值', 'throttle'],
    ['您的账户余额不足，请充值后重试。', 'throttle'],
    ['请求过于频繁，请稍后再试。', 'throttle'],
    ['错误：请求过于频繁，请 30 秒后重试', 'throttle'],
    ['您的配额已用完，请升级套餐', 'throttle'],
    ['リクエストが多すぎます。しばらくしてからもう一度お試しください。', 'throttle'],
    ['요청이 너무 많습니다. 잠시 후 다시 시도해 주세요.', 'throttle'],
    ['Слишком много запросов. Повторите попытку позже.', 'throttle'],
    ['Недостаточно средств на счёте. Пополните баланс.', 'throttle'],
    ['Zu viele Anfragen. Bitte versuchen Sie es später erneut.', 'throttle'],
    ['Ihr Kontingent ist aufgebraucht: Guthaben aufgebraucht.', 'throttle'],
    ['Trop de requêtes. Veuillez réessayer plus tard.', 'throttle'],
    ['Demasiadas solicitudes. Inténtelo de nuevo más tarde.', 'throttle'],
    ['Saldo insuficiente. Recargue su cuenta.', 'throttle'],
    ['Troppe richieste. Riprova più tardi.', 'throttle'],
    ['Muitas solicitações. Tente novamente mais tarde.', 'throttle'],
    ['Za dużo zapytań. Spróbuj ponownie później.', 'throttle'],
    ['"Rate limit exceeded"', 'throttle'],
    ['“Rate limit exceeded. Please try again later.”', 'throttle'],
  ])('is the failure that it names: %s', (text, cls) => {
    expect(classify(exited0(text), { provider: 'some-tool' })?.class).toBe(cls)
    expect(classify(exited0(text), { provider: 'kimi-cli' })?.class).toBe(cls)
  })
})
