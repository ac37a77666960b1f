import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 8 * 2 ** 30
const PREFIX = 'registry-tests-'

/**
 * Gives a run of the tests one folder for all its temporary files, in memory where that has room. Tests end
 * processes, never a machine, so memory keeps what a disk would keep, and nobody waits for one. The folder
 * goes with the run; that of a run that was killed goes with the next.
 */
export function useTemporaryFolder() {
  const place = hasRoom() ? MEMORY : tmpdir()
  for (const name of readdirSync(place).filter(file => file.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length)))) remove(join(place, name))
  }
  const folder = join(place, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  process.env.TMPDIR = folder
  process.once('exit', () => remove(folder))
}

function hasRoom() {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM_BYTES
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch ({ code }) {
    return code === 'EPERM'
  }
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true })
}
