import type { onRequestHookHandler } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Operation } from './operation.ts'
import type { Services } from './services.ts'

/**
 * Refuses on a replica what only the registry itself can do: operations that write, and those that need a
 * credential. The body says where the same operation is. A redirect would not help: clients drop their
 * credentials when they are redirected to another host, and would get a 401 there.
 */
export function buildReplicaRefusal(
  { access, writes }: Pick<Operation, 'access' | 'writes'>,
  { config, reader }: Pick<Services, 'config' | 'reader'>,
): onRequestHookHandler | undefined {
  const { REPLICA_OF: followed } = config
  // Reads with an optional credential are answered.
  if (followed === undefined || access === 'optional' || !(writes || access === 'bearer'))
    return undefined
  return ({ url }, _reply, done) => {
    const base = reader.replica?.base_url ?? findApiAddress(followed)
    const address = base === undefined ? '' : `, ${base}`
    const text = `this is a replica: ask the registry that it follows${address}`
    // A request line may contain a whole URL instead of a path.
    const isPath = base !== undefined && url.startsWith('/')
    const origin = isPath ? { origin_url: `${base.replace(/\/+$/, '')}${url}` } : {}
    // Trying again here is of no use.
    done(new PublicError('unavailable', text, { ...origin, retry_after: undefined }))
  }
}

/** Finds the address of the registry itself; a bucket, a folder or a mirror of the files has no API. */
function findApiAddress(followed: string): string | undefined {
  return /^https?:/.test(followed) && !followed.endsWith('.json') ? followed : undefined
}
