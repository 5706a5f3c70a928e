import type { ProfileSample } from '../../../src/failure/cli/profile.ts'

/** One successful and one failed run of every agent CLI, as short as possible. */
export const SAMPLES: Readonly<Record<string, ProfileSample>> = {
  claude: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"system","subtype":"init","session_id":"s-1","model":"opus","claude_code_version":"2.1.0"}\n{"type":"assistant","session_id":"s-1","message":{"id":"m-1","content":[{"type":"text","text":"The 429 is handled now."}]}}\n{"type":"result","subtype":"success","is_error":false,"result":"The 429 is handled now.","session_id":"s-1","num_turns":1,"total_cost_usd":0.02}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 's-1',
      turns: 1,
      costUsd: 0.02,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"result","is_error":true,"session_id":"s-1","num_turns":3,"subtype":"error_max_turns","errors":[],"total_cost_usd":0.5}',
      stderr: '',
      class: 'rail',
      kind: 'max_turns',
      sessionId: 's-1',
      turns: 3,
      costUsd: 0.5,
    },
  },
  codex: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"thread.started","thread_id":"t-1"}\n{"type":"turn.started"}\n{"type":"item.completed","item":{"type":"agent_message","text":"The 429 is handled now."}}\n{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2}}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 't-1',
      turns: 1,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"thread.started","thread_id":"t-1"}\n{"type":"turn.started"}\n{"type":"turn.failed","error":{"message":"You\'ve hit your usage limit."}}',
      stderr: '',
      class: 'throttle',
      kind: 'usage_limit',
      sessionId: 't-1',
      turns: 1,
    },
  },
  gemini: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"init","session_id":"s-1","model":"gemini-3-pro"}\n{"type":"message","role":"user","content":"fix it"}\n{"type":"message","role":"assistant","content":"The 429 ","delta":true}\n{"type":"message","role":"assistant","content":"is handled now.","delta":true}\n{"type":"result","status":"success","stats":{"input_tokens":9,"output_tokens":2,"cached":0}}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 's-1',
      turns: 1,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"init","session_id":"s-1","model":"m"}\n{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"stopped"},"stats":{}}',
      stderr: '',
      class: 'rail',
      kind: 'max_turns',
      sessionId: 's-1',
    },
  },
  qwen: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"system","subtype":"init","session_id":"s-1","model":"qwen3","qwen_code_version":"0.20.0"}\n{"type":"assistant","session_id":"s-1","message":{"id":"m-1","content":[{"type":"text","text":"The 429 is handled now."}]}}\n{"type":"result","subtype":"success","is_error":false,"result":"The 429 is handled now.","session_id":"s-1","num_turns":1}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 's-1',
      turns: 1,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"result","is_error":true,"session_id":"s-1","num_turns":1,"subtype":"error_during_execution","error":{"message":"No auth type is selected. Please configure an auth type before running."}}',
      stderr: '',
      class: 'permanent',
      kind: 'auth',
      sessionId: 's-1',
      turns: 1,
    },
  },
  opencode: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{}}\n{"type":"text","timestamp":2,"sessionID":"ses_1","part":{"text":"The 429 is handled now."}}\n{"type":"step_finish","timestamp":3,"sessionID":"ses_1","part":{"reason":"stop","cost":0.25}}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 'ses_1',
      turns: 1,
      costUsd: 0.25,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{}}\n{"type":"step_finish","timestamp":2,"sessionID":"ses_1","part":{"reason":"tool-calls","cost":0.25}}\n{"type":"error","timestamp":3,"sessionID":"ses_1","error":{"name":"ContextOverflowError","data":{"message":"too long"}}}',
      stderr: '',
      class: 'permanent',
      kind: 'context_overflow',
      sessionId: 'ses_1',
      turns: 1,
      costUsd: 0.25,
    },
  },
  kimi: {
    success: {
      exitCode: 0,
      stdout:
        '{"role":"assistant","content":"The 429 is handled now."}\n{"role":"meta","type":"session.resume_hint","session_id":"session_1a2b3c4d"}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 'session_1a2b3c4d',
      turns: 1,
    },
    failure: {
      exitCode: 1,
      stdout: '',
      stderr: 'error: failed to run prompt: auth.token_missing: no\nTo resume: kimi -r 5a0c1b2e',
      class: 'permanent',
      kind: 'auth',
      sessionId: '5a0c1b2e',
    },
  },
  goose: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 0,
      stdout: 'Please add credits to your account, then resend your message to continue.',
      stderr: '',
      class: 'throttle',
      kind: 'billing',
    },
  },
  aider: {
    success: {
      exitCode: 0,
      stdout: 'Aider v0.86\nThe 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 0,
      stdout:
        'Aider v0.86\nTokens: 1k sent. Cost: $0.01 message, $0.05 session.\nlitellm.NotFoundError: NotFoundError: no',
      stderr: '',
      class: 'permanent',
      kind: 'model_not_found',
      costUsd: 0.05,
    },
  },
  copilot: {
    success: {
      exitCode: 0,
      stdout:
        '{"type":"assistant.turn_start","data":{"turnId":"0"},"id":"e-1","timestamp":"t"}\n{"type":"assistant.message","data":{"content":"The 429 is handled now."},"id":"e-2","timestamp":"t"}\n{"type":"result","sessionId":"s-1","exitCode":0,"usage":{}}',
    },
    answer: {
      text: 'The 429 is handled now.',
      sessionId: 's-1',
      turns: 1,
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"session.error","data":{"errorType":"authentication","message":"no"},"id":"e-1","timestamp":"t"}\n{"type":"result","sessionId":"s-1","exitCode":1,"usage":{}}',
      stderr: '',
      class: 'permanent',
      kind: 'auth',
      sessionId: 's-1',
    },
  },
  cursor: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 1,
      stdout: '',
      stderr: 'Workspace Trust Required: pass --trust to run in this directory',
      class: 'permanent',
      kind: 'config',
    },
  },
  droid: {
    success: {
      exitCode: 0,
      stdout: '{"type":"completion","finalText":"The 429 is handled now.","numTurns":2,"session_id":"d-1"}',
    },
    failure: {
      exitCode: 1,
      stdout: '{"type":"error","source":"agent_loop","message":"429 Too Many Requests","session_id":"d-1"}',
      stderr: '',
      class: 'throttle',
      kind: 'rate_limit',
      sessionId: 'd-1',
    },
  },
  cline: {
    success: {
      exitCode: 0,
      stdout:
        '{"ts":"t","type":"run_start","sessionId":"l-1"}\n{"ts":"t","type":"run_result","finishReason":"completed","text":"The 429 is handled now."}',
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"ts":"t","type":"run_start","sessionId":"l-1"}\n{"ts":"t","type":"run_result","finishReason":"max_iterations","text":"as far as I got","iterations":6,"usage":{"totalCost":0.5}}',
      stderr: '',
      class: 'rail',
      kind: 'max_steps',
      sessionId: 'l-1',
      turns: 6,
      costUsd: 0.5,
    },
  },
  roo: {
    success: {
      exitCode: 0,
      stdout: '{"type":"result","success":true,"content":"The 429 is handled now.","done":true}',
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"error","content":"429 Too Many Requests","done":true}\n{"type":"result","success":false,"cost":{"totalCost":0.1},"done":true}',
      stderr: '',
      class: 'throttle',
      kind: 'rate_limit',
      costUsd: 0.1,
    },
  },
  crush: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 1,
      stdout: '',
      stderr: '  ERROR\n\n  agent processing failed: 429 Too Many Requests',
      class: 'throttle',
      kind: 'rate_limit',
    },
  },
  amp: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 1,
      stdout:
        '{"type":"result","is_error":true,"session_id":"T-1","num_turns":1,"subtype":"error_during_execution","error":"429 Too Many Requests"}',
      stderr: '',
      class: 'throttle',
      kind: 'rate_limit',
      sessionId: 'T-1',
      turns: 1,
    },
  },
  continue: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 1,
      stdout: '',
      stderr: 'Error: 429 Too Many Requests',
      class: 'throttle',
      kind: 'rate_limit',
    },
  },
  openhands: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 0,
      stdout:
        '{"kind":"ConversationErrorEvent","code":"MaxIterationsReached","detail":"stopped","source":"environment"}',
      stderr: '',
      class: 'rail',
      kind: 'max_steps',
    },
  },
  'swe-agent': {
    success: {
      exitCode: 0,
      stdout: '{"trajectory":[],"info":{"exit_status":"submitted"}}',
      stderr: '',
    },
    failure: {
      exitCode: 0,
      stdout: '{"trajectory":[],"info":{"exit_status":"exit_cost"}}',
      stderr: '',
      class: 'rail',
      kind: 'max_budget',
    },
  },
  plandex: {
    success: {
      exitCode: 0,
      stdout: 'The 429 is handled now.',
      stderr: '',
    },
    failure: {
      exitCode: 0,
      stdout: '🚨 429 Too Many Requests',
      stderr: '',
      class: 'throttle',
      kind: 'rate_limit',
    },
  },
}
