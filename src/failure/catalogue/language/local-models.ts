import { family } from '../rule.ts'

/** Self-hosted models. Their servers answer 500 to everything, so the words decide. */
export default family('local_model', {
  unloadable: {
    kind: 'config',
    rank: 'cause',
    why: 'this server cannot use the model file; it fails the same way until one of them is replaced',
    when: {
      says: [
        '(failed|unable) to start (a|the|) … (runner|model server|inference server|engine)',
        '(unable|failed|failure|not able) to load (the|a|your|) … model',
        '(cannot|cant|could not|couldnt) load (the|a|your|) … model',
        'error (loading|while loading) (the|) … model',
        '(error|failed|failure) loading model',
        'model (failed to load|could not be loaded|cannot be loaded|load failed|loading failed|failed loading)',
        'unknown model architecture',
        'unsupported model (architecture|format|type)',
        '(invalid|bad|corrupt|corrupted|unsupported) (gguf|ggml|safetensors|model) (file|magic|format|header)',
        'invalid magic',
        'model … (is corrupt|is corrupted|corrupted)',
        '模型加载失败',
      ],
      unless: [
        'insufficient system',
        'more system memory',
        'out of memory',
        'not enough memory',
        'allocate',
        'timed out',
        'connection',
        'is loading',
        'currently loading',
        'model metadata',
        'no such file',
        'load model from hub',
      ],
    },
    example: 'llama runner process has terminated: error loading model hyperparameters',
  },
  runner_stopped: {
    kind: 'server_error',
    rank: 'named',
    why: 'the process that runs the model ended; its server starts a fresh one for the next request',
    when: {
      says: [
        '(model|llama|llm|inference|engine) (runner|engine|worker|backend|server) … (has|was|process|) … (terminated|stopped|exited|died|crashed|no longer running|is not running|gone)',
        '(engine|worker|server|backend|model|inference|llm|vllm) (core|) (process|processes|proc) (has|was|) (unexpectedly|) (died|exited|terminated|crashed|stopped)',
        'runner process (has|) (terminated|stopped|exited|died|no longer running)',
        '(runner|engine|backend) (has|) (unexpectedly|) (stopped|exited|terminated|died) (unexpectedly|)',
      ],
      unless: [
        'signal killed',
        'out of memory',
        'allocate',
        'more system memory',
        'loading model',
        'load model',
        'unknown model',
        'self hosted',
        'github',
        'shutdown signal',
      ],
    },
    example: 'model runner has unexpectedly stopped, this may be due to resource limitations',
  },
})
