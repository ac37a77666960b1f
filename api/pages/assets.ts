import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../pipeline/core/project-root.ts'

interface Asset {
  path: string
  type: string
  body: string
  etag: string
}

const FOLDER = join(projectRoot, 'data/pages')
const HASH_CHARS = 12

/** Reads a file that pages load; the hash of its content is in its name, so it never changes. */
function readAsset(name: string, extension: string, type: string): Asset {
  const body = readFileSync(join(FOLDER, `${name}.${extension}`), 'utf8')
  const etag = hash('sha256', body, 'hex').slice(0, HASH_CHARS)
  return { path: `/assets/pages/${name}.${etag}.${extension}`, type, body, etag }
}

const files = {
  style: ['css', 'text/css; charset=utf-8'],
  live: ['js', 'text/javascript; charset=utf-8'],
  enhance: ['js', 'text/javascript; charset=utf-8'],
  editor: ['js', 'text/javascript; charset=utf-8'],
  passkeys: ['js', 'text/javascript; charset=utf-8'],
  icon: ['svg', 'image/svg+xml'],
} as const

let assets: Record<keyof typeof files, Asset> | undefined

/** Returns the files that pages load, read once. */
export function getAssets(): Record<keyof typeof files, Asset> {
  assets ??= Object.fromEntries(
    Object.entries(files).map(([name, [extension, type]]) => [
      name,
      readAsset(name, extension, type),
    ]),
  ) as Record<keyof typeof files, Asset>
  return assets
}

export function findAsset(path: string): Asset | undefined {
  return Object.values(getAssets()).find(asset => asset.path === path)
}
