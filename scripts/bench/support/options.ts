import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toTypedPath } from '../../commands/typed-path.ts'

export interface Options {
  size: number
  pairs: number
  seconds: number
  connections: number
  /** Number of distinct questions, which repeat; undefined for the bench's own number. */
  questions: number | undefined
  /** Part of the names of the rows to measure; empty for all rows. */
  only: string
  /** Leaves out what fetches: observations are computed in place of the crawl. */
  noFetch: boolean
  /** Folder of the stores; one named by `--folder` is kept and reused. */
  folder: string
  /** Another built tree, whose API is measured as well. */
  against: string | undefined
  /** Removes the folder unless it was named. */
  tidy(): void
}

const flags = {
  size: { type: 'string' },
  full: { type: 'boolean' },
  smoke: { type: 'boolean' },
  pairs: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  questions: { type: 'string' },
  only: { type: 'string' },
  'no-fetch': { type: 'boolean', default: false },
  folder: { type: 'string' },
  against: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const HELP = `--size N         what the bench is sized by: domains, files or rows
--full           the size that its bounds are for; without one, mostly a tenth of it
--smoke          a thousandth of it
--pairs N        interleaved runs of each side
--seconds N      seconds of one measurement
--connections N  clients at a time
--questions N    distinct questions, which repeat
--only TEXT      rows whose name contains it
--no-fetch       bench:night without a web: observations are computed, in three sizes up to N
--folder DIR     keeps the stores there, and uses them again
--against DIR    measures the API of another built tree as well, in turn with ours
--check          exits with 1 if a bound is missed`

/** Settings of a bench where no option says otherwise. */
interface Defaults {
  usual?: number
  connections?: number
  pairs?: number
  seconds?: number
}

/** Short slices in turn: other work on the machine falls on all sides alike. */
export const slices = { pairs: 16, seconds: 0.6 } as const

/**
 * Reads `--full`, `--smoke` (a thousandth of it) or `--size N`; without any, a tenth of the full
 * size.
 */
export function readOptions(full: number, defaults: Defaults = {}): Options {
  const { usual = full / 10, connections = 50, pairs = 7, seconds = 5 } = defaults
  const { values } = parseArgs({ options: flags })
  if (values.help) {
    console.log(`${HELP}\n\nThe full size is ${full}, the usual one ${usual}.`)
    process.exit()
  }
  const smoke = Math.max(1, full / 1_000)
  const size = values.full ? full : values.smoke ? smoke : Number(values.size ?? usual)
  const folder =
    values.folder === undefined ? mkdtempSync(join(tmpdir(), 'bench-')) : toTypedPath(values.folder)
  return {
    size: requireAtLeast(1, size, 'size'),
    pairs: requireAtLeast(1, Number(values.pairs ?? pairs), 'pairs'),
    seconds: requireAtLeast(0.1, Number(values.seconds ?? seconds), 'seconds'),
    connections: requireAtLeast(1, Number(values.connections ?? connections), 'connections'),
    questions:
      values.questions === undefined
        ? undefined
        : requireAtLeast(1, Number(values.questions), 'questions'),
    only: values.only ?? '',
    noFetch: values['no-fetch'],
    folder,
    against: values.against && toTypedPath(values.against),
    tidy() {
      if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function requireAtLeast(least: number, value: number, name: string): number {
  if (value >= least) return value
  throw new Error(`--${name} must be a number from ${least}`)
}
