import type { Rule } from '../rule.ts'
import answers from './answers.ts'
import anthropic from './anthropic.ts'
import ark from './ark.ts'
import aws from './aws.ts'
import azure from './azure.ts'
import baidu from './baidu.ts'
import cerebras from './cerebras.ts'
import cloudflare from './cloudflare.ts'
import cohere from './cohere.ts'
import dashscope from './dashscope.ts'
import fireworks from './fireworks.ts'
import github from './github.ts'
import google from './google.ts'
import groq from './groq.ts'
import huggingface from './huggingface.ts'
import litellm from './litellm.ts'
import minimax from './minimax.ts'
import mistral from './mistral.ts'
import moonshot from './moonshot.ts'
import nvidia from './nvidia.ts'
import openai from './openai.ts'
import openrouter from './openrouter.ts'
import portkey from './portkey.ts'
import replicate from './replicate.ts'
import sambanova from './sambanova.ts'
import sdk from './sdk.ts'
import selfHosted from './self-hosted.ts'
import tencent from './tencent.ts'
import together from './together.ts'
import vercel from './vercel.ts'
import xai from './xai.ts'
import zhipu from './zhipu.ts'

/** What model APIs, their gateways and their client libraries say. */
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
  ...together,
  ...fireworks,
  ...xai,
  ...cerebras,
  ...sambanova,
  ...nvidia,
  ...huggingface,
  ...replicate,
  ...moonshot,
  ...openrouter,
  ...zhipu,
  ...dashscope,
  ...minimax,
  ...baidu,
  ...ark,
  ...tencent,
  ...selfHosted,
  ...litellm,
  ...portkey,
  ...vercel,
  ...cloudflare,
  ...github,
  ...sdk,
] satisfies Rule[]
