import { present } from '../../failure/present.ts'
import { shellWord } from '../../option/shell-word.ts'

/** Where each client takes its base URL and key: variables, or lines of a config file. */
type Setup = (url: string, token: string | undefined) => string

function exports(variables: Record<string, string | undefined>): string {
  return Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : [`export ${name}=${shellWord(value)}`]))
    .join('\n')
}

const SETUPS: Readonly<Record<string, Setup>> = {
  claude: (url, token) =>
    exports({
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      // Beside the login of Claude Code, which stays its own.
      ANTHROPIC_CUSTOM_HEADERS: token && `x-mulligan-token: ${token}`,
    }),
  codex: (url, token) =>
    [
      '# in ~/.codex/config.toml',
      'model_provider = "mulligan"',
      '[model_providers.mulligan]',
      'name = "mulligan"',
      `base_url = "${url}/openai/v1"`,
      'wire_api = "responses"',
      ...(token === undefined
        ? ['env_key = "OPENAI_API_KEY"']
        : [`http_headers = { "x-mulligan-token" = "${token}" }`]),
      'request_max_retries = 0',
      'stream_max_retries = 0',
    ].join('\n'),
  opencode: (url, token) =>
    [
      '// in opencode.json',
      JSON.stringify(
        {
          provider: Object.fromEntries(
            (['anthropic', 'openai'] as const).map(name => [
              name,
              {
                options: { baseURL: `${url}/${name}/v1`, ...present({ apiKey: token }) },
              },
            ]),
          ),
        },
        undefined,
        2,
      ),
    ].join('\n'),
  gemini: (url, token) => exports({ GOOGLE_GEMINI_BASE_URL: `${url}/gemini`, GEMINI_API_KEY: token }),
  qwen: (url, token) => exports({ OPENAI_BASE_URL: `${url}/openai/v1`, OPENAI_API_KEY: token }),
  kimi: (url, token) =>
    [
      '# in ~/.kimi-code/config.toml',
      '[providers.mulligan]',
      'type = "openai"',
      `base_url = "${url}/openai/v1"`,
      `api_key = "${token ?? 'your key'}"`,
    ].join('\n'),
  copilot: (url, token) =>
    exports({ COPILOT_PROVIDER_BASE_URL: `${url}/openai/v1`, COPILOT_PROVIDER_API_KEY: token }),
}

/** The clients that can be pointed at the proxy. */
export const SETUP_CLIENTS: readonly string[] = Object.keys(SETUPS)

/** What a user pastes to point a client at the proxy; undefined for an unknown client. */
export function setupOf(client: string, url: string, token: string | undefined): string | undefined {
  return Object.hasOwn(SETUPS, client) ? SETUPS[client]?.(url, token) : undefined
}
