import { z } from 'zod'
import { TaskError } from './errors.ts'
import { toTaskName } from './protocol-names.ts'

/** A call of a task, before its task or arguments are checked. */
export interface AgentCall {
  task: string
  args: Record<string, unknown>
}

const Arguments = z.record(z.string(), z.unknown())

/** A call by MCP. */
const ToolCall = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.string(), arguments: Arguments.default({}).catch({}) }),
})

/** A call by A2A. */
const MessageCall = z.looseObject({
  method: z.string().startsWith('message/'),
  params: z.looseObject({ message: z.looseObject({ parts: z.array(z.unknown()) }) }),
})

const DataPart = z.looseObject({ kind: z.literal('data'), data: z.unknown() })

/** Reads which tasks a body calls, by MCP or A2A. A body of several messages, as MCP had them, calls several. */
export function readCalls(body: unknown, protocolName: string): AgentCall[] {
  return (Array.isArray(body) ? body : [body]).flatMap(message => {
    const byMcp = ToolCall.safeParse(message)
    if (byMcp.success) {
      const { name, arguments: args } = byMcp.data.params
      return [{ task: toTaskName(name, protocolName), args }]
    }
    const byA2a = MessageCall.safeParse(message)
    if (!byA2a.success) return []
    const call = readMessage(byA2a.data.params.message, protocolName)
    return call instanceof TaskError ? [] : [call]
  })
}

/**
 * Reads what a message of A2A asks for: the task that its one data part names, `{skill, input}`. The
 * public client says `parameters` instead of `input`.
 */
export function readMessage(
  { parts }: { parts: readonly unknown[] },
  protocolName: string,
): AgentCall | TaskError {
  const data = parts.flatMap(part => {
    const read = DataPart.safeParse(part)
    return read.success ? [read.data.data as Record<string, unknown> | null] : []
  })
  const [only] = data
  if (data.length !== 1 || typeof only?.skill !== 'string') {
    const message = 'parts: send one data part, {"skill": …, "input": {…}}'
    return new TaskError('INVALID_REQUEST', message, { field: 'parts' })
  }
  const args = only.input ?? only.parameters ?? {}
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    const message = 'parts: input must be an object'
    return new TaskError('INVALID_REQUEST', message, { field: 'parts' })
  }
  return { task: toTaskName(only.skill, protocolName), args: args as Record<string, unknown> }
}
