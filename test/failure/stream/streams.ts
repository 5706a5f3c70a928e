/**
 * Good streams, as these servers write them. None may be taken for a cut one. The first line says who writes so.
 */
const chunk = (rest: string, object = ',"object":"chat.completion.chunk"') =>
  `data: {"id":"chatcmpl-7"${object},"created":1761566772,"model":"m",${rest}}\n\n`
const delta = (content: string, more = '"finish_reason":null') =>
  `"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},"logprobs":null,${more}}]`
const ROLE =
  '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]'
const DONE = 'data: [DONE]\n\n'
const USAGE = '"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}'
const STOP = '"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]'

export const GOOD_STREAMS: Readonly<Record<string, string>> = {
  openai: chunk(ROLE) + chunk(delta('Hi')) + chunk(STOP) + DONE,
  'openai with usage':
    chunk(`${ROLE},"usage":null`) +
    chunk(`${delta('Hi')},"usage":null`) +
    chunk(STOP) +
    chunk(`"choices":[],${USAGE}`) +
    DONE,
  'openai, two answers':
    chunk('"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]') +
    chunk('"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":null}]') +
    chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]') +
    chunk('"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]') +
    DONE,
  'openai, a tool': `${chunk(
    '"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]',
  )}${chunk('"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]')}${DONE}`,
  azure:
    `data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}\n\n` +
    chunk(ROLE) +
    chunk(delta('Hi')) +
    chunk(STOP) +
    DONE,
  ollama:
    chunk(
      '"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":" Hello"},"finish_reason":""}]',
    ) +
    chunk(
      '"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]',
    ) +
    DONE,
  'ollama, today':
    chunk(
      '"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]',
    ) +
    chunk(
      '"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"length"}]',
    ) +
    chunk(`"system_fingerprint":"fp_ollama","choices":[],${USAGE}`) +
    DONE,
  vllm:
    chunk(ROLE) + chunk(delta('Hi')) + chunk(delta('', '"finish_reason":"stop","stop_reason":null')) + DONE,
  'vllm, a last piece with words':
    chunk(ROLE) +
    chunk(delta('Hi')) +
    chunk(delta('!', '"finish_reason":"length","stop_reason":null')) +
    DONE,
  'vllm with usage in every piece':
    chunk(`${ROLE},"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}`) +
    chunk(`${delta('Hi')},"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}`) +
    chunk(`${delta('')},"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`) +
    chunk(`${STOP},${USAGE}`) +
    chunk(`"choices":[],${USAGE}`) +
    DONE,
  'vllm without finish_reason': chunk(ROLE) + chunk(delta('Hi')) + chunk(delta('!')) + DONE,
  'llama.cpp':
    chunk('"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]') +
    chunk(
      '"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"Play"}}],"timings":{"predicted_n":78}',
    ) +
    chunk('"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Hi"}}]') +
    chunk(
      '"choices":[{"finish_reason":"stop","index":0,"delta":{}}],"timings":{"prompt_n":10,"predicted_n":78}',
    ) +
    DONE,
  'llama.cpp, with usage unasked':
    chunk(
      '"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Hi"}}],"system_fingerprint":"b6497-cd08fc3e"',
    ) +
    chunk('"choices":[{"finish_reason":"stop","index":0,"delta":{}}],"system_fingerprint":"b6497-cd08fc3e"') +
    chunk(`"choices":[],${USAGE},"timings":{"cache_n":0,"prompt_n":75,"predicted_n":31}`) +
    DONE,
  'llama.cpp, completions':
    'data: {"choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":null}],"created":1757389182,"model":"m","object":"text_completion","id":"c"}\n\n' +
    'data: {"choices":[{"text":"","index":0,"logprobs":null,"finish_reason":"length"}],"created":1757389183,"model":"m","object":"text_completion","id":"c"}\n\n' +
    DONE,
  openrouter:
    ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' +
    'data: {"id":"gen-1","provider":"X","model":"m","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}\n\n' +
    'data: {"id":"gen-1","provider":"X","model":"m","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop","native_finish_reason":"stop","logprobs":null}]}\n\n' +
    `data: {"id":"gen-1","provider":"X","model":"m","object":"chat.completion.chunk","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null,"native_finish_reason":null,"logprobs":null}],${USAGE}}\n\n` +
    DONE,
  'openrouter through a bridge that drops [DONE]':
    chunk(delta('Hi', '"finish_reason":null,"native_finish_reason":null')) +
    chunk(delta('', '"finish_reason":"stop","native_finish_reason":"stop"')) +
    chunk(`${delta('', '"finish_reason":null,"native_finish_reason":null')},${USAGE}`),
  groq:
    chunk(`${ROLE},"x_groq":{"id":"req_1"}`) +
    chunk(delta('Hi')) +
    chunk(`${STOP},"x_groq":{"id":"req_1",${USAGE}}`) +
    DONE,
  'groq with usage':
    chunk(`${ROLE},"x_groq":{"id":"req_1"}`) +
    chunk(delta('Hi')) +
    chunk(`${STOP},"x_groq":{"id":"req_1"}`) +
    chunk(`"choices":[],${USAGE}`) +
    DONE,
  deepseek:
    ': keep-alive\n\n' +
    chunk(
      '"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":""},"logprobs":null,"finish_reason":null}]',
    ) +
    chunk(
      '"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}]',
    ) +
    chunk(
      '"choices":[{"index":0,"delta":{"content":"Hi","reasoning_content":null},"logprobs":null,"finish_reason":null}]',
    ) +
    chunk(
      `"choices":[{"index":0,"delta":{"content":"","reasoning_content":null},"logprobs":null,"finish_reason":"stop"}],${USAGE}`,
    ) +
    DONE,
  sglang:
    chunk(
      '"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"","matched_stop":null}],"usage":null',
    ) +
    chunk(
      '"choices":[{"index":0,"delta":{"role":null,"content":"Hi","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"","matched_stop":null}],"usage":null',
    ) +
    chunk(
      '"choices":[{"index":0,"delta":{"reasoning_content":null},"logprobs":null,"finish_reason":"stop","matched_stop":1}]',
    ) +
    DONE,
  'no finish_reason, usage in every piece':
    chunk(
      '"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}',
    ) +
    chunk(
      '"choices":[{"index":0,"delta":{"role":"assistant","content":"!"}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}',
    ) +
    DONE,
  'localai: no finish_reason, usage 0':
    'data: {"object":"chat.completion.chunk","model":"g","choices":[{"delta":{"role":"assistant"}}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}\n\n' +
    'data: {"object":"chat.completion.chunk","model":"g","choices":[{"delta":{"content":"1"}}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}\n\n' +
    DONE,
  'a last event with the usage only': chunk(ROLE) + chunk(delta('Hi')) + chunk(`"choices":[],${USAGE}`),
  'carriage returns, no empty line at the end': `${chunk(delta('Hi'))}${chunk(STOP)}data: [DONE]`.replaceAll(
    '\n',
    '\r\n',
  ),
  responses:
    'event: response.created\ndata: {"type":"response.created","response":{"id":"r","status":"in_progress"}}\n\n' +
    'event: response.output_item.added\ndata: {"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}\n\n' +
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\n' +
    'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","status":"completed","error":null}}\n\n',
  messages:
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}\n\n' +
    'event: ping\ndata: {"type":"ping"}\n\n' +
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n' +
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n' +
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":3}}\n\n' +
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  gemini:
    'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":9},"modelVersion":"g"}\r\n\r\n' +
    'data: {"candidates":[{"content":{"parts":[{"text":"!"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3},"modelVersion":"g"}\r\n\r\n',
  'ai sdk to a browser':
    'data: {"type":"start","messageId":"m"}\n\ndata: {"type":"start-step"}\n\ndata: {"type":"text-start","id":"0"}\n\n' +
    'data: {"type":"text-delta","id":"0","delta":"Hi"}\n\ndata: {"type":"text-end","id":"0"}\n\n' +
    'data: {"type":"finish-step"}\n\ndata: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n',
}
