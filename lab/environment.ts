/** How to point a tool at the lab: environment variables, and a command that uses them. */
export interface ToolSetup {
  tool: string
  env: Record<string, string>
  /** A shell command line, if the tool has one. */
  command?: string
}

/** The key in the examples if the lab has no token: any will do. */
export const ANY_KEY = 'lab'

/** Environment for agent CLIs and SDKs, with their own retries switched off if possible. */
export function setupsFor(url: string, token: string = ANY_KEY): ToolSetup[] {
  const anthropic = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: token }
  const openai = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token }
  const gemini = { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: token }
  return [
    {
      tool: 'claude',
      env: { ...anthropic, CLAUDE_CODE_MAX_RETRIES: '0' },
      command: 'claude -p "say hi" --output-format json',
    },
    {
      tool: 'codex',
      env: { LAB_API_KEY: token },
      command: `codex exec --skip-git-repo-check -c model_provider=lab -c 'model_providers.lab=${codexProvider(url)}' "say hi"`,
    },
    {
      tool: 'opencode',
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url, token)) },
      command: 'opencode run --print-logs --format json -m lab/claude-lab-1 "say hi"',
    },
    { tool: 'gemini', env: gemini, command: 'gemini -p "say hi" -o json --skip-trust' },
    { tool: 'Anthropic SDK', env: anthropic },
    { tool: 'OpenAI SDK', env: openai },
    { tool: 'Google GenAI SDK', env: gemini },
  ]
}

/** An entry of codex's `model_providers`, as the inline table that `-c` takes. */
export function codexProvider(url: string): string {
  return `{name="lab",base_url="${url}/v1",env_key="LAB_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`
}

/** An opencode config whose provider `lab` uses Anthropic's API at the lab. */
export function opencodeConfig(url: string, token: string = ANY_KEY): Record<string, unknown> {
  return {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    provider: {
      lab: {
        npm: '@ai-sdk/anthropic',
        name: 'lab',
        options: { baseURL: `${url}/v1`, apiKey: token },
        models: { 'claude-lab-1': { name: 'claude-lab-1', limit: { context: 200_000, output: 8_192 } } },
      },
    },
  }
}
