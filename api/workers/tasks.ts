import { readBrandFile } from '../inputs/brand-file.ts'
import { createAdagents } from '../inputs/create-adagents.ts'
import { readMirror } from '../inputs/mirror-file.ts'
import { checkProposal, checkText } from '../inputs/proposed-file.ts'
import { toPng } from '../pictures/to-png.ts'

/** Functions that take long for a large body or picture. They are pure, so that any thread can run them. */
export const tasks = {
  createAdagents,
  readBrandFile,
  readMirror,
  checkProposal,
  checkText,
  toPng,
}

export type TaskName = keyof typeof tasks
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>
