import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

/** File in dist/ that names the commit of a build; there is none where nobody knows it. */
const COMMIT = 'commit'
const describe = ['describe', '--always', '--abbrev=7', '--exclude=*', '--dirty=-modified']

/**
 * Notes which commit a build is of. This happens at each command, since a commit can follow another without a new
 * build. A build that the caller may not change keeps its note.
 */
export function noteCommit(folder = join(root, 'dist'), checkout = root) {
  const file = join(folder, COMMIT)
  const commit = readCommit(checkout)
  if (commit === (existsSync(file) ? readFileSync(file, 'utf8') : '')) return
  try {
    if (commit === '') rmSync(file)
    else writeFileSync(file, commit)
  } catch (error) {
    if (!['EACCES', 'EROFS', 'ENOENT'].includes(error.code)) throw error
  }
}

/** Reads the commit of a checkout, or outside of one what the environment names; empty where neither does. */
function readCommit(checkout) {
  if (!existsSync(join(checkout, '.git'))) return process.env.COMMIT ?? ''
  const { ok, output } = run('git', describe, { cwd: checkout })
  return ok ? output : ''
}
