import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Servers that people run themselves: vLLM, llama.cpp, Ollama, LM Studio. */
export default family('selfhosted', {
  no_shift: {
    kind: 'context_overflow',
    effect: 'maybe',
    rank: 'cause',
    why: "a 500 of llama.cpp that is not the server's fault: the context filled up while writing",
    when: { says: ['context shift is disabled'] },
    example: refused(500, { code: 500, type: 'server_error', message: 'context shift is disabled' }),
  },
  not_started_with: {
    kind: 'config',
    rank: 'named',
    why: 'the server was started without the requested feature',
    when: { code: ['not_supported_error'] },
    example: refused(501, {
      code: 501,
      type: 'not_supported_error',
      message: 'This server does not support embeddings.',
    }),
  },
  engine_dead: {
    kind: 'server_error',
    rank: 'named',
    why: "vLLM's engine died; its server ends soon and must be restarted",
    when: { says: ['engine dead error', 'engine generate error', 'engine core encountered an issue'] },
    example: 'EngineDeadError',
  },
})
