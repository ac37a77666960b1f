import type { onRequestHookHandler } from 'fastify'
import { PublicError } from '../../pipeline/core/errors.ts'
import type { Operation } from './operation.ts'
import type { Services } from './services.ts'

/**
 * Refuses what only the registry itself can do, where this is a replica: operations that write, and those that
 * need a credential. The body says where the same operation is. It is no redirect: clients drop credentials on
 * their way to another host, and would be told 401 there.
 */
export function buildReplicaRefusal(
  { access, writes }: Pick<Operation, 'access' | 'writes'>,
  { config, reader }: Pick<Services, 'config' | 'reader'>,
): onRequestHookHandler | undefined {
  const { REPLICA_OF: followed } = config
  // With an optional credential reads are answered.
  if (followed === undefined || access === 'optional' || !(writes || access === 'bearer'))
    return undefined
  return ({ url }, _reply, done) => {
    const base = reader.replica?.base_url ?? findApiAddress(followed)
    const text = `this is a replica: ask the registry that it follows, ${base ?? followed}`
    // A request may name a host of its own in the place of a path.
    const isPath = base !== undefined && url.startsWith('/')
    const fields = isPath ? { origin_url: `${base.replace(/\/+$/, '')}${url}` } : {}
    done(new PublicError('unavailable', text, fields))
  }
}

/** Finds the address of the registry itself: a bucket, a folder or a mirror of the files is none. */
function findApiAddress(followed: string): string | undefined {
  return /^https?:/.test(followed) && !followed.endsWith('.json') ? followed : undefined
}
