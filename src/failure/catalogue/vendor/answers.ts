import { family } from '../rule.ts'

const choice = (finish_reason: string) => ({
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: '' } }],
})
const candidate = (finishReason: string) => ({ candidates: [{ index: 0, finishReason }] })

const finish = (words: string) => words.split(/\s+/).map(word => `finish_reason=${word}`)
const done = (words: string) => words.split(/\s+/).map(word => `done_reason=${word}`)
const stop = (words: string) => words.split(/\s+/).map(word => `stop_reason=${word}`)
const turn = (words: string) => words.split(/\s+/).map(word => `turn_complete_reason=${word}`)

/** Answers with status 200 that are incomplete or missing, by their stop reason. */
export default family('answer', {
  cut: {
    kind: 'max_tokens',
    rank: 'cause',
    why: 'the output limit was reached before the answer was complete',
    when: {
      code: [
        ...finish('length max_tokens max_output_tokens model_length'),
        ...stop('max_tokens max_output_tokens length'),
        ...done('length'),
        'reason=max_output_tokens',
      ],
    },
    example: choice('length'),
    exampleReturned: true,
  },
  window_full: {
    kind: 'context_overflow',
    effect: 'maybe',
    rank: 'cause',
    why: 'the context window filled up while the model was writing; continuing needs a shorter conversation',
    when: {
      code: [
        ...finish('model_context_window_exceeded error_limit'),
        ...stop('model_context_window_exceeded'),
      ],
    },
    example: { role: 'assistant', content: [], stop_reason: 'model_context_window_exceeded' },
    exampleReturned: true,
  },
  refused: {
    kind: 'content_policy',
    effect: 'maybe',
    rank: 'cause',
    why: 'a filter or the model itself stopped the answer; tokens were spent and may have been delivered',
    when: {
      code: [
        ...finish(
          'content_filter content-filter content_filtered refusal sensitive error_toxic safety recitation blocklist',
        ),
        ...finish('prohibited_content spii image_safety image_prohibited_content image_recitation language'),
        ...stop('refusal guardrail_intervened content_filtered content_filter content-filter sensitive'),
        ...turn(
          'response_rejected prohibited_input_content image_prohibited_input_content input_image_celebrity',
        ),
        ...turn(
          'input_image_photo_realistic_child_prohibited input_text_ncii_prohibited input_other input_ip_prohibited',
        ),
        ...turn(
          'generated_content_prohibited generated_content_safety generated_content_blocklist generated_audio_safety',
        ),
        ...turn(
          'generated_image_safety generated_video_safety generated_image_prohibited generated_other unsafe_prompt_for_image_generation',
        ),
        'reason=content_filter',
      ],
    },
    example: candidate('SAFETY'),
    exampleReturned: true,
  },
  prompt_refused: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'the prompt was blocked before the model saw it',
    when: {
      code: 'safety other blocklist prohibited_content image_safety model_armor jailbreak blocked_reason_unspecified'
        .split(' ')
        .map(word => `block_reason=${word}`),
    },
    example: { promptFeedback: { blockReason: 'OTHER' } },
    exampleReturned: true,
  },
  bad_sample: {
    kind: 'bad_json',
    rank: 'named',
    why: 'the model wrote something unusable; a fresh sample often works',
    when: {
      code: [
        ...finish(
          'malformed_function_call malformed_response unexpected_tool_call too_many_tool_calls no_image missing_thought_signature',
        ),
        ...stop('malformed_model_output malformed_tool_use'),
        ...turn('malformed_function_call need_more_input'),
      ],
    },
    example: { output: { message: { content: [] } }, stopReason: 'malformed_tool_use' },
    exampleReturned: true,
  },
  no_reason: {
    kind: 'bad_json',
    rank: 'hint',
    why: 'it stopped for a reason the vendor does not state',
    when: { code: finish('other image_other unknown') },
    example: candidate('OTHER'),
    exampleReturned: true,
  },
  starved: {
    kind: 'overloaded',
    rank: 'named',
    why: 'the vendor cut the answer off for lack of capacity',
    when: { code: finish('insufficient_system_resource') },
    example: choice('insufficient_system_resource'),
    exampleReturned: true,
  },
  failed_inside: {
    kind: 'server_error',
    rank: 'hint',
    why: 'generation failed after the 200 was sent; an error next to it says more',
    when: { code: finish('error network_error') },
    example: choice('error'),
    exampleReturned: true,
  },
  timed_out: {
    kind: 'timeout',
    rank: 'hint',
    why: 'the job was not done in the time it had',
    when: {
      code: [
        ...finish('timeout time_limit'),
        'status=expired',
        'status=timeout',
        'status=timed_out',
        'type=expired',
      ],
    },
    example: { object: 'thread.run', status: 'expired', last_error: null },
    exampleReturned: true,
  },
  cancelled: {
    kind: 'aborted',
    rank: 'said',
    why: 'the job or the answer was cancelled',
    when: {
      code: [
        ...finish('abort aborted cancelled canceled user_cancelled'),
        ...stop('cancelled'),
        'status=cancelled',
        'status=canceled',
        'type=canceled',
        'reason=client_cancelled',
        'reason=turn_detected',
      ],
    },
    example: { object: 'response', status: 'cancelled', error: null },
    exampleReturned: true,
  },
})
