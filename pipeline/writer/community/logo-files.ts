import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listUnusedPictures } from '../../accounts/logos.ts'
import type { Accounts } from '../../accounts/store.ts'
import type { Submission } from '../../model/submission.ts'
import { replaceFile, syncPath } from '../../store/durable-files.ts'
import type { Paths } from '../../store/paths.ts'
import { loadStoredLogos } from '../../store/private-rows/logo-rows.ts'

/** Stores the pictures of accepted logos, each named by its hash, before their commit: a logo never lacks its picture. */
export function keepPictures(
  { paths }: { paths: Paths },
  submissions: readonly Submission[],
): void {
  for (const { operation } of submissions) {
    if (operation.op !== 'logo.save' || operation.bytes === undefined) continue
    keepPicture(paths, operation.sha256, Buffer.from(operation.bytes, 'base64'))
  }
}

/** Deletes pictures whose last logo was rejected by these submissions, once their commit is durable. */
export function removePictures(
  stores: { paths: Paths; accounts: Accounts },
  submissions: readonly Submission[],
  seq: number,
): void {
  if (submissions.some(({ operation: { op } }) => removing.has(op))) removeUnused(stores, seq)
}

/** Deletes pictures whose last logo the commit of this number rejected; a start repeats it for the last commit. */
export function removeUnused(
  { paths, accounts }: { paths: Paths; accounts: Accounts },
  seq: number,
): void {
  for (const hash of listUnusedPictures(accounts.db, seq)) {
    rmSync(paths.logoFile(hash), { force: true })
  }
}

/** Operations that may take the last logo away that shows a picture. */
const removing: ReadonlySet<string> = new Set(['review.reject', 'domain.takedown'])

function keepPicture(paths: Paths, hash: string, bytes: Buffer): void {
  const path = paths.logoFile(hash)
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  syncPath(paths.pictures)
  replaceFile(path, bytes)
}

/** Copies pictures from one folder to another; files that are already there stay. */
export function copyPictures(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true, filter: isWhole })
}

/** Tells whether a file is complete; one that is being written has another name. */
function isWhole(path: string): boolean {
  return !path.endsWith('.new')
}

/** Lists pictures in a folder whose bytes do not match their names. */
export function listDamagedPictures(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(isWhole)
    .filter(
      path => createHash('sha256').update(readFileSync(path)).digest('hex') !== basename(path),
    )
}

/** Lists visible logos whose picture is missing. */
export function listLogosWithoutPicture({
  paths,
  accounts,
}: {
  paths: Paths
  accounts: Accounts
}): string[] {
  const logos = loadStoredLogos(accounts.db, `status != 'rejected'`, {})
  return logos.filter(({ hash }) => !existsSync(paths.logoFile(hash))).map(logo => logo.logo_id)
}
