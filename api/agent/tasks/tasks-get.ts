import { z } from 'zod'
import { CallersId } from '../accounts.ts'
import { TaskError } from '../errors.ts'
import { describeSubmittedTask } from '../media-buys/submission.ts'
import { defineTask } from '../task.ts'

const Input = z.object({
  task_id: CallersId.describe('The task_id of an answer whose status is submitted'),
})

export const tasksGet = defineTask({
  name: 'tasks_get',
  title: 'Read a submitted task',
  description: 'Returns the status of a submitted task, and its result once it is completed',
  input: Input,
  run({ task_id }, { state, tenant, now }) {
    const task = state.get('submitted_task', tenant, task_id)
    if (task) return describeSubmittedTask(task, now)
    throw new TaskError('REFERENCE_NOT_FOUND', 'task_id: there is no such task here', {
      field: 'task_id',
    })
  },
})
