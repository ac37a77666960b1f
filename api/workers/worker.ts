import { PublicError, type PublicErrorName } from '../../pipeline/core/errors.ts'
import { type TaskName, tasks } from './tasks.ts'

/** A task as it is sent to the thread. */
export interface TaskMessage {
  name: TaskName
  input: unknown[]
}

/** The result of a task. A refusal is a value: an error that crosses threads loses its class. */
export type TaskReply =
  | { result: unknown }
  | { refused: { error: PublicErrorName; text: string; fields: Record<string, unknown> } }

/** Runs a task on the thread that imports this file. */
export default async function runTask({ name, input }: TaskMessage): Promise<TaskReply> {
  try {
    const task = tasks[name] as (...input: unknown[]) => unknown
    return { result: await task(...input) }
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    return { refused: { error: error.error, text: error.message, fields: { ...error.fields } } }
  }
}
