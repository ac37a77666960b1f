import { PublicError } from '../../pipeline/core/errors.ts'
import type { ApiWriter } from './writer-client.ts'

/** Creates the writer of a replica, which refuses everything. */
export function createRefusingWriter(): ApiWriter {
  const refuse = () =>
    Promise.reject(
      new PublicError('unavailable', 'this is a replica: ask the registry that it follows'),
    )
  return {
    submit: refuse,
    requestLive: refuse,
    runStoryboard: refuse,
    findStoryboardJob: refuse,
    cancelStoryboardJob: refuse,
  }
}
