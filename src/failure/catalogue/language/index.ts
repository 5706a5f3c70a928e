import type { Rule } from '../rule.ts'
import absent from './absent.ts'
import access from './access.ts'
import capacity from './capacity.ts'
import limits from './limits.ts'
import local from './local.ts'
import money from './money.ts'
import network from './network.ts'
import rails from './rails.ts'
import request from './request.ts'
import server from './server.ts'
import stopped from './stopped.ts'
import time from './time.ts'

/** How failures speak in general, whoever speaks: the rules that recognise vendors nobody has described. */
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
  ...local,
  ...server,
] satisfies Rule[]
