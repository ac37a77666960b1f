import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ParquetManifest } from '../store/columnar/parquet-manifest.ts'
import { parseJson, readJsonFile, replaceFile } from '../store/durable-files.ts'
import type { Paths } from '../store/paths.ts'
import type { Bucket, ObjectHeaders } from './bucket.ts'
import { linkOrCopy } from './published-folder.ts'

/** Folder of the tables beside the files for replicas, under the names that engines read. */
export const DATA = 'data'
const MANIFEST = 'manifest.json'
const tableHeaders: ObjectHeaders = {
  type: 'application/vnd.apache.parquet',
  // A take-down makes the release of a day anew.
  caching: 'public, max-age=86400',
}
const manifestHeaders: ObjectHeaders = { type: 'application/json', caching: 'public, no-cache' }

const readHashes = (manifest: ParquetManifest | undefined) =>
  new Map(manifest?.files.map(({ path, sha256 }) => [path, sha256]))

/**
 * Gives the exported tables of all releases that are kept a second name below `data/` of the published folder;
 * those that were taken down lose it at once. The manifest is written last.
 */
export async function linkTables(
  { parquet, parquetManifest }: Pick<Paths, 'parquet' | 'parquetManifest'>,
  folder: string,
): Promise<void> {
  const tree = join(folder, DATA)
  const text = existsSync(parquetManifest) ? readFileSync(parquetManifest, 'utf8') : undefined
  if (text === undefined) return rmSync(tree, { recursive: true, force: true })
  const copy = join(tree, MANIFEST)
  if (existsSync(copy) && readFileSync(copy, 'utf8') === text) return
  const before = readHashes(readJsonFile(copy, ParquetManifest))
  const current = readHashes(readJsonFile(parquetManifest, ParquetManifest))
  for (const name of listNames(tree))
    if (!current.has(name) || before.get(name) !== current.get(name))
      rmSync(join(tree, name), { force: true })
  for (const name of current.keys()) {
    const target = join(tree, name)
    if (existsSync(target) || !existsSync(join(parquet, name))) continue
    mkdirSync(dirname(target), { recursive: true })
    rmSync(`${target}.new`, { force: true })
    await linkOrCopy(join(parquet, name), `${target}.new`)
    renameSync(`${target}.new`, target)
  }
  mkdirSync(tree, { recursive: true })
  replaceFile(copy, text)
}

/** Lists the files of a tree but its manifest, by their paths below it. */
function listNames(tree: string): string[] {
  if (!existsSync(tree)) return []
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(tree, join(entry.parentPath, entry.name)))
    .filter(name => name !== MANIFEST)
}

/** Copies the tables of the published folder to a bucket, and removes those there that the folder has no more. */
export async function copyTablesTo(folder: string, bucket: Bucket): Promise<void> {
  const tree = join(folder, DATA)
  const manifest = `${DATA}/${MANIFEST}`
  const there = (await bucket.read(manifest))?.toString()
  const here = existsSync(join(tree, MANIFEST)) ? readFileSync(join(tree, MANIFEST), 'utf8') : ''
  if ((there ?? '') === here) return
  const before = readHashes(parseJson(there ?? '', ParquetManifest))
  const current = readHashes(parseJson(here, ParquetManifest))
  const stored = await bucket.list(`${DATA}/`)
  for (const name of stored.keys()) {
    const path = name.slice(DATA.length + 1)
    if (current.has(path) || (name === manifest && here !== '')) continue
    await bucket.remove(name)
  }
  for (const [path, hash] of current) {
    const isThere = stored.has(`${DATA}/${path}`) && before.get(path) === hash
    // One that is damaged is missing until its table is exported anew.
    if (!isThere && existsSync(join(tree, path)))
      await bucket.writeFile(`${DATA}/${path}`, join(tree, path), tableHeaders)
  }
  if (here !== '') await bucket.write(manifest, Buffer.from(here), manifestHeaders)
}
