import type { Adapter } from 'oidc-provider'
import { isRedisFailure } from '../../jobs/redis.ts'
import { PublicError, refuse } from '../../pipeline/core/errors.ts'

export const RETRY_AFTER_S = 5
/** Code of a failure that the library reports. */
export const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable'
export const UNAVAILABLE = 'nobody can sign in at the moment; try again'

/** Refuses with 503 what sign-in cannot do without its stores. */
export function refuseSignIn(): never {
  return refuse('unavailable', UNAVAILABLE, { retry_after: RETRY_AFTER_S })
}

/** Wraps a store of the library: where Redis or the writer does not carry something out, it fails with `toError`. */
export function withUnavailable(adapter: Adapter, toError: () => Error): Adapter {
  const wrapped = Object.entries(adapter).map(([name, method]) => [
    name,
    async (...values: unknown[]) => {
      try {
        return await (method as (...values: unknown[]) => Promise<unknown>)(...values)
      } catch (error) {
        throw isRedisFailure(error) || isUnavailable(error) ? toError() : error
      }
    },
  ])
  return Object.fromEntries(wrapped)
}

/** Refuses with 503 what the library could not do without its stores; throws any other error again. */
export function refuseFailed(error: unknown): never {
  if (error instanceof Error && 'error' in error && error.error === TEMPORARILY_UNAVAILABLE)
    refuseSignIn()
  throw error
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PublicError && error.error === 'unavailable'
}
