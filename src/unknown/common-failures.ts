import type { FailureClass } from '../failure/failure.ts'

/** Common failure messages with their class. A signature that gives one of them another class is too broad. */
export const COMMON_FAILURES: readonly { text: string; class: FailureClass }[] = [
  ...of('throttle', [
    'Error: 429 Too Many Requests',
    'Rate limit reached for requests. Please try again in 20s.',
    "You've hit your usage limit. Resets 3am (UTC).",
    'You exceeded your current quota, please check your plan and billing details.',
    'Your credit balance is too low to access the API.',
  ]),
  ...of('transient', [
    'API Error: 500 Internal server error',
    'HTTP 503 Service Unavailable',
    'Error: 529 Overloaded',
    'TypeError: fetch failed: read ECONNRESET',
    'Error: connect ECONNREFUSED 127.0.0.1:8080',
    'Error: getaddrinfo EAI_AGAIN api.example.com',
    'socket hang up',
    'unexpected EOF',
    'Error: SQLITE_BUSY: database is locked',
  ]),
  ...of('timeout', [
    'Request timed out.',
    'HTTP 504 Gateway Timeout',
    'Error: connect ETIMEDOUT 10.0.0.1:443',
  ]),
  ...of('permanent', [
    'Error: 401 Unauthorized: invalid x-api-key',
    'HTTP 403 Forbidden',
    '404 Not Found',
    '400 Bad Request: invalid request body',
    'The model `gpt-9` does not exist or you do not have access to it.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    "Error: ENOENT: no such file or directory, open '/tmp/a.txt'",
    'Error: EACCES: permission denied, open /etc/shadow',
    "TypeError: Cannot read properties of undefined (reading 'id')",
    'bash: line 1: foo: command not found',
    'Error: ENOSPC: no space left on device, write',
    'certificate has expired',
  ]),
  ...of('unknown', [
    'Error: something went wrong',
    'Error: the task has failed',
    'Error: process exited with code 1',
    'Command failed with exit code 1',
    'Request failed',
    'The operation could not be completed.',
    'Error: unknown error',
    'fatal: giving up',
  ]),
]

function of(cls: FailureClass, texts: readonly string[]): { text: string; class: FailureClass }[] {
  return texts.map(text => ({ text, class: cls }))
}
