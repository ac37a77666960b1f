import { COMPLIANCE_TARGET } from './storyboard.ts'

/** An id with a target: `3.1:idempotency`. That of the installed package has none. */
const WITH_TARGET = /^(\d+\.\d+):/

/** Adds the target to the id of a storyboard, unless it is the one of the installed package. */
export function addTarget(id: string, target: string): string {
  return target === COMPLIANCE_TARGET ? id : `${target}:${id}`
}

/** Finds the target that the id of a storyboard names. */
export function findTarget(id: string): string {
  return WITH_TARGET.exec(id)?.[1] ?? COMPLIANCE_TARGET
}

/** Sorts versions such as 3.1, the newest first. */
export function compareVersions(a: string, b: string): number {
  return b.localeCompare(a, 'en', { numeric: true })
}
