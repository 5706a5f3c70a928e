import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import got from 'got'
import ky from 'ky'
import OpenAI from 'openai'
import { withoutRetries } from '../../src/call/without-retries.ts'

const apiKey = 'no-key'
const messages = [{ role: 'user' as const, content: 'x' }]

/** Asks each client once, with its retries off. */
const CLIENTS: Record<string, (url: string) => Promise<unknown>> = {
  openai: baseURL => new OpenAI({ apiKey, baseURL, ...withoutRetries.openai }).models.list(),
  anthropic: baseURL =>
    new Anthropic({ apiKey, baseURL, ...withoutRetries.anthropic }).messages.create({
      model: 'm',
      max_tokens: 1,
      messages,
    }),
  google: baseUrl =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl, ...withoutRetries.google } }).models.generateContent({
      model: 'm',
      contents: 'x',
    }),
  aiSdk: baseURL =>
    generateText({ model: createOpenAI({ apiKey, baseURL })('m'), prompt: 'x', ...withoutRetries.aiSdk }),
  langchain: baseURL =>
    new ChatOpenAI({ model: 'm', apiKey, configuration: { baseURL }, ...withoutRetries.langchain }).invoke(
      'x',
    ),
  axiosRetry: url => {
    const client = axios.create()
    axiosRetry(client, { ...withoutRetries.axiosRetry })
    return client.get(url)
  },
  ky: url => ky.get(url, { ...withoutRetries.ky }).text(),
  got: url => got.get(url, { ...withoutRetries.got }).text(),
}

/** How many requests each client makes for one question that is refused with 503. One is right. */
export async function requestsWithoutRetries(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [name, ask] of Object.entries(CLIENTS)) {
    let requests = 0
    const server = createServer((_request, response) => {
      requests++
      response
        .writeHead(503, { 'content-type': 'application/json' })
        .end('{"error":{"message":"Overloaded"}}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(() => {})
    server.closeAllConnections()
    server.close()
    counts[name] = requests
  }
  return counts
}
