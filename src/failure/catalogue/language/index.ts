import type { Rule } from '../rule.ts'
import absent from './absent.ts'
import access from './access.ts'
import capacity from './capacity.ts'
import code from './code.ts'
import collisions from './collisions.ts'
import crashes from './crashes.ts'
import limits from './limits.ts'
import localModels from './local-models.ts'
import machine from './machine.ts'
import money from './money.ts'
import network from './network.ts'
import rails from './rails.ts'
import request from './request.ts'
import server from './server.ts'
import serviceLanguages from './service-languages.ts'
import settings from './settings.ts'
import stopped from './stopped.ts'
import systemLanguages from './system-languages.ts'
import systemMessages from './system-messages.ts'
import time from './time.ts'
import transactions from './transactions.ts'

/** How failures are worded in general. These rules also recognise vendors that have no rules of their own. */
export default [
  ...money,
  ...limits,
  ...capacity,
  ...request,
  ...access,
  ...absent,
  ...network,
  ...time,
  ...rails,
  ...stopped,
  ...settings,
  ...machine,
  ...systemLanguages,
  ...systemMessages,
  ...serviceLanguages,
  ...localModels,
  ...collisions,
  ...transactions,
  ...crashes,
  ...code,
  ...server,
] satisfies Rule[]
