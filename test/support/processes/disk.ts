import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { makeDataDir } from '../registry/registry.ts'

/** Size of the disk; its file takes only what is written. */
const SIZE_MB = 1_024
/** Time after which the file system writes without being asked: longer than a test. */
const COMMIT_S = 300

/**
 * A disk whose content is a file. What is written to it and not synced is in the kernel's memory only, so a copy of the
 * file is the disk of a machine that lost its power. Needs root.
 */
export class Disk {
  /** Folder at which it is mounted. */
  readonly path: string
  readonly #folder: string

  private constructor(fill: (image: string) => void) {
    this.#folder = makeDataDir().dir
    this.path = `${this.#folder}/mounted`
    mkdirSync(this.path)
    try {
      fill(this.#image)
      run('mount', '-o', `loop,commit=${COMMIT_S}`, this.#image, this.path)
    } catch (error) {
      rmSync(this.#folder, { recursive: true })
      throw error
    }
  }

  static create(): Disk {
    return new Disk(image => {
      run('truncate', '-s', `${SIZE_MB}M`, image)
      run('mkfs.ext4', '-q', '-F', image)
    })
  }

  /** Returns the disk as it would be found if the power went now. Whoever writes to it must be stopped meanwhile. */
  cutPower(): Disk {
    return new Disk(image => run('cp', '--sparse=always', this.#image, image))
  }

  close(): void {
    run('umount', this.path)
    rmSync(this.#folder, { recursive: true })
  }

  get #image(): string {
    return `${this.#folder}/image`
  }
}

/** Finds the reason why no disk can be mounted here; undefined where one can. */
export function findDiskProblem(): string | undefined {
  try {
    Disk.create().close()
    return undefined
  } catch (error) {
    return `no disk can be mounted: ${String(error).split('\n')[0]}`
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' })
}
