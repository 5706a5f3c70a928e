import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const under = (status: number, message: string) =>
  classify({ status, headers: {}, body: JSON.stringify({ error: { message } }) })

describe('too many requests, in the words of other languages', () => {
  it.each([
    'คำขอมากเกินไป กรุณาลองใหม่ภายหลัง',
    'طلبات كثيرة جدًا. يرجى المحاولة مرة أخرى لاحقًا.',
    'تم تجاوز حد المعدل. حاول مرة أخرى بعد 30 ثانية',
    'יותר מדי בקשות. נסה שוב מאוחר יותר',
    'חרגת ממגבלת הקצב',
    'बहुत अधिक अनुरोध। कृपया बाद में पुनः प्रयास करें।',
    'অনেক বেশি অনুরোধ। পরে আবার চেষ্টা করুন।',
    'மிக அதிகமான கோரிக்கைகள்',
    'بہت زیادہ درخواستیں',
    'تعداد درخواست‌ها بیش از حد است. لطفا بعدا تلاش کنید',
    'Твърде много заявки',
    'Previše zahtjeva',
    'Príliš veľa požiadaviek',
    'Massa sol·licituds',
    'Zu viele Anfragen',
    'Te veel verzoeken. Probeer het later opnieuw.',
  ])('%s', message => {
    expect(classify(new Error(message))?.class).toBe('throttle')
    expect(under(400, message)?.class).toBe('throttle')
  })

  it.each(['ขนาดไฟล์เกินขีดจำกัด', 'حجم الملف تجاوز الحد المسموح', 'trop de paramètres', 'zu viele Argumente'])(
    'a refused request stays refused: %s',
    message => expect(under(400, message)?.class).toBe('permanent'),
  )
})
