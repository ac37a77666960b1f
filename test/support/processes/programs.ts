import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
const places = join(root, 'node_modules/.cache/test-programs')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const folders = ['pipeline', 'jobs', 'api', 'scripts', 'test/support']
const DAY_MS = 24 * 60 * 60 * 1_000

let current: string | undefined

/**
 * Finds the compiled form of a program of `tsconfig.programs.json`, for processes that tests start: reading
 * the sources instead would cost each a second more. A run compiles them, unchecked, when one has changed.
 */
export function findProgram(source: string): string {
  current ??= compilePrograms()
  return join(current, 'dist', source.replace(/\.ts$/, '.js'))
}

function compilePrograms(): string {
  const place = join(places, hashSources())
  if (!existsSync(place)) compileInto(place)
  return place
}

/** Hashes names, sizes and times of the sources. */
function hashSources(): string {
  const hash = createHash('sha256')
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue
      const { size, mtimeMs } = statSync(join(root, folder, name))
      hash.update(`${folder}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** Compiles into a folder beside the place, then renames it: nobody starts half a program. */
function compileInto(place: string): void {
  const fresh = `${place}-${process.pid}`
  mkdirSync(fresh, { recursive: true })
  const args = [tsc, '-p', join(root, 'tsconfig.programs.json'), '--outDir', join(fresh, 'dist')]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the programs of tests cannot be compiled: ${stdout}`)
  for (const name of ['data', 'package.json']) symlinkSync(join(root, name), join(fresh, name))
  try {
    renameSync(fresh, place)
  } catch {
    // Another worker was first.
    rmSync(fresh, { recursive: true })
  }
  for (const name of readdirSync(places)) {
    const old = join(places, name)
    if (statSync(old).mtimeMs < Date.now() - DAY_MS) rmSync(old, { recursive: true, force: true })
  }
}
