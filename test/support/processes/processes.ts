import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface ChildProcessInfo {
  pid: number
  command: string
}

/** Lists the processes that a process has started and that still run. */
export function listChildren(parent: number): ChildProcessInfo[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const [, rest = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')
        const [state, ppid] = rest.split(' ')
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return Number(ppid) === parent && state !== 'Z' ? [{ pid: Number(name), command }] : []
      } catch {
        return []
      }
    })
}

/** Finds the one child of a process whose command ends or begins with this. */
export function findChild(parent: number, command: string): number | undefined {
  return listChildren(parent).find(
    child => child.command.endsWith(command) || child.command.startsWith(command),
  )?.pid
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}
