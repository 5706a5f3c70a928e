import { present } from '../../src/failure/present.ts'
import { type Facts, idOf, tokensOf } from '../facts.ts'
import { type Answer, piecesOf, type VendorAnswer } from './shape.ts'

const FINISHES = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY', tool: 'STOP' } as const

/** Gemini generateContent and streamGenerateContent. */
export function geminiAnswer(facts: Facts, answer: Answer): VendorAnswer {
  const [prompt, output] = [tokensOf(facts.request.text), tokensOf(answer.text)]
  const usageMetadata = {
    promptTokenCount: prompt,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
  }
  const tail = { modelVersion: facts.request.model, responseId: idOf('', facts) }
  const call =
    answer.ends === 'tool' ? [{ functionCall: { name: answer.tool.name, args: answer.tool.input } }] : []
  const finishReason = FINISHES[answer.ends]
  const candidate = (parts: object[], finish?: string) => ({
    candidates: [
      {
        content: { role: 'model', parts },
        ...present({ finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata,
    ...tail,
  })
  const pieces = piecesOf(answer.text).map(text => ({ text }))
  const last = pieces.pop()
  return {
    whole: candidate([...(answer.text === '' ? [] : [{ text: answer.text }]), ...call], finishReason),
    events: [
      ...pieces.map(piece => ({ data: candidate([piece]) })),
      { data: candidate([...(last && last.text !== '' ? [last] : []), ...call], finishReason) },
    ],
    headers: {},
  }
}
