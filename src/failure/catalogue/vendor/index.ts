import type { Rule } from '../rule.ts'
import answers from './answers.ts'
import anthropic from './anthropic.ts'
import aws from './aws.ts'
import azure from './azure.ts'
import china from './baidu-ark-tencent.ts'
import cloudflare from './cloudflare.ts'
import cohere from './cohere.ts'
import dashscope from './dashscope.ts'
import gateways from './gateways.ts'
import github from './github.ts'
import google from './google.ts'
import groq from './groq.ts'
import hosted from './hosted.ts'
import hubs from './huggingface-replicate.ts'
import minimax from './minimax.ts'
import mistral from './mistral.ts'
import moonshot from './moonshot.ts'
import openai from './openai.ts'
import openrouter from './openrouter.ts'
import sdk from './sdk.ts'
import selfHosted from './self-hosted.ts'
import zhipu from './zhipu.ts'

/** What the APIs of model vendors, their gateways and their client libraries say. */
export default [
  ...answers,
  ...anthropic,
  ...openai,
  ...azure,
  ...google,
  ...aws,
  ...mistral,
  ...cohere,
  ...groq,
  ...hosted,
  ...hubs,
  ...moonshot,
  ...openrouter,
  ...zhipu,
  ...dashscope,
  ...minimax,
  ...china,
  ...selfHosted,
  ...gateways,
  ...cloudflare,
  ...github,
  ...sdk,
] satisfies Rule[]
