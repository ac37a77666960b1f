import { requireProgram } from './programs.mjs'

/** Makes redis-server available; the registry starts its own Redis from it. */
export function requireRedis() {
  requireProgram(['redis-server'], 'redis-server')
}
