import type { FastifyError, FastifyReply } from 'fastify'
import { anyOrigin } from '../operation/cross-origin.ts'
import type { AgentServices } from './call-task.ts'
import { buildNamedErrors, TaskError, type TaskErrorCode } from './errors.ts'

/** JSON-RPC codes for failures that happen before any task runs, over either transport. */
const rpcCodes: Partial<Record<TaskErrorCode, number>> = {
  SERVICE_UNAVAILABLE: -32_027,
  UNAUTHORIZED: -32_028,
  RATE_LIMITED: -32_029,
}
const INVALID_REQUEST = -32_600
const PARSE_ERROR = -32_700
/** Codes of the framework for a body that cannot be parsed. */
const UNPARSED = /^FST_ERR_CTP_(?:INVALID|EMPTY)_JSON_BODY$/

/**
 * Answers a request that reached no task. The specification reads `code` and `message`; clients of MCP and
 * A2A read a JSON-RPC error that contains the protocol's own error.
 */
export function sendFailure(
  reply: FastifyReply,
  status: number,
  failure: TaskError,
  protocolName: string,
  rpcCode = rpcCodes[failure.code] ?? INVALID_REQUEST,
): FastifyReply {
  const { code, message, details } = failure
  const { id = null } = (reply.request.body ?? {}) as { id?: unknown }
  return reply
    .code(status)
    .headers(anyOrigin)
    .send({
      code,
      message,
      ...details,
      jsonrpc: '2.0',
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      error: {
        code: rpcCode,
        message,
        data: buildNamedErrors(failure, protocolName),
      },
    })
}

/** Refuses a call beyond a limit, with the seconds to wait in the header and in the body. */
export function sendTooMany(
  reply: FastifyReply,
  message: string,
  retry_after: number,
  protocolName: string,
): FastifyReply {
  const failure = new TaskError('RATE_LIMITED', message, { retry_after })
  return sendFailure(reply.header('retry-after', retry_after), 429, failure, protocolName)
}

/** Answers failures from before a task was reached: too many calls, or a body that is not JSON. */
export function answerError(
  error: FastifyError,
  reply: FastifyReply,
  { onError, protocolName }: Pick<AgentServices, 'onError' | 'protocolName'>,
): FastifyReply {
  const status = error.statusCode ?? 500
  if (error instanceof TaskError) return sendFailure(reply, status, error, protocolName)
  if (status >= 500) onError(error)
  if (status === 429) {
    const seconds = Number(reply.getHeader('retry-after') ?? 60)
    return sendTooMany(reply, 'There are too many calls from this address', seconds, protocolName)
  }
  if (UNPARSED.test(error.code)) {
    const failure = new TaskError('INVALID_REQUEST', 'The body is not JSON')
    return sendFailure(reply, status, failure, protocolName, PARSE_ERROR)
  }
  const failure =
    status < 500
      ? new TaskError('INVALID_REQUEST', error.message)
      : new TaskError('SERVICE_UNAVAILABLE', 'This agent failed; try again later')
  return sendFailure(reply, status, failure, protocolName)
}
