import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../pipeline/core/config.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { isLoopback } from '../../pipeline/core/loopback.ts'

export type OperatorAccess = Pick<Config, 'OPERATOR_HOST' | 'OPERATOR_TOKEN'>

/**
 * Throws unless a request comes from the operator. With `OPERATOR_TOKEN`, that is whoever sends the token.
 * Without it, that is every program on this machine, but no web page in a browser: neither one whose host
 * name resolves to this machine, nor one that posts a form here.
 */
export function assertOperator(
  { headers, method }: Pick<FastifyRequest, 'headers' | 'method'>,
  reply: FastifyReply,
  { OPERATOR_TOKEN: token, OPERATOR_HOST: ownHost }: OperatorAccess,
): void {
  if (token !== undefined && !isSameText(readToken(headers.authorization), token)) {
    reply.header('www-authenticate', 'Basic realm="registry", charset="UTF-8"')
    refuse('unauthenticated', 'the operator’s port requires OPERATOR_TOKEN')
  }
  const { host = '', origin } = headers
  if (token === undefined && !isOwnName(host, ownHost))
    refuse('forbidden', 'the Host header names another machine')
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead && origin !== undefined && readHost(origin) !== host)
    refuse('forbidden', 'pages of other origins may not change anything here')
}

/** Reads a bearer token, or the password that a browser asked for. */
function readToken(authorization = ''): string {
  const [scheme = '', value = ''] = authorization.split(' ')
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  const text = Buffer.from(value, 'base64').toString('utf8')
  return text.slice(text.indexOf(':') + 1)
}

/** Compares two texts in constant time. */
function isSameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}

function isOwnName(host: string, ownHost: string): boolean {
  const name = host.replace(/:\d+$/, '')
  return name === 'localhost' || name === ownHost || isLoopback(name)
}

function readHost(origin: string): string | undefined {
  return /^https?:\/\/(.+)$/.exec(origin)?.[1]
}
