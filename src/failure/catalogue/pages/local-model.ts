import { page } from '../page.ts'

/** Models that run on the same machine. */
export default page(
  'local_model',
  `
unloadable: config specific · this server cannot use the model file; it fails the same way until one of them is replaced
  says (failed|unable) to start (a|the|) … (runner|model server|inference server|engine),
    (unable|failed|failure|not able) to load (the|a|your|) … model, (cannot|cant|could not|couldnt) load (the|a|your|) … model,
    error (loading|while loading) (the|) … model,
    model (failed to load|could not be loaded|cannot be loaded|load failed|loading failed|failed loading),
    (invalid|bad|corrupt|corrupted|unsupported) (gguf|ggml|safetensors|model) (file|magic|format|header), invalid magic,
    model … (is corrupt|is corrupted|corrupted), 模型加载失败
  eg llama runner process has terminated: error loading model hyperparameters
runner_stopped: server_error typed · the process that runs the model ended; its server starts a fresh one for the next request
  says (model|llama|llm|inference|engine) (runner|engine|worker|backend|server) … (has|was|process|) … (terminated|stopped|exited|died|crashed|no longer running|is not running|gone),
    (engine|worker|server|backend|model|inference|llm|vllm) (core|) (process|processes|proc) (has|was|) (unexpectedly|) (died|exited|terminated|crashed|stopped),
    runner process (has|) (terminated|stopped|exited|died|no longer running),
    (runner|engine|backend) (has|) (unexpectedly|) (stopped|exited|terminated|died) (unexpectedly|)
  unless self hosted, github, shutdown signal
  eg model runner has unexpectedly stopped, this may be due to resource limitations
`,
)
