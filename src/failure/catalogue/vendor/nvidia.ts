import { family } from '../rule.ts'
import { answer } from './example.ts'

/** NVIDIA NIM. */
export default family('nvidia', {
  function_gone: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'models are functions there; a withdrawn one is not found for the account',
    when: { says: ['function … not found for account'] },
    example: answer(404, {
      status: 404,
      title: 'Not Found',
      detail: "Function 'abc': Not found for account 'xyz'",
    }),
  },
})
