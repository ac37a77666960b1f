import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../../../pipeline/core/project-root.ts'

export interface PackedFile {
  /** The packed file. */
  path: string
  unpackedSize: number
  files: string[]
}

/** Packs the built package of a folder of this checkout, as `npm pack` does for a release. */
export function pack(folder: string, into: string): PackedFile {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', into, folder]
  const output = execFileSync('npm', args, { cwd: projectRoot, encoding: 'utf8' })
  const [packed] = Object.values(JSON.parse(output)) as [
    { filename: string; unpackedSize: number; files: { path: string }[] },
  ]
  return {
    path: join(into, packed.filename),
    unpackedSize: packed.unpackedSize,
    files: packed.files.map(({ path }) => path),
  }
}

/**
 * Installs a packed file into a folder without reaching a registry: the packages that it depends on are those of this
 * checkout, and no other is there. Returns the path of its command.
 */
export function installOffline(packed: PackedFile, folder: string): string {
  const place = join(folder, 'node_modules/agentic-ad-registry')
  mkdirSync(place, { recursive: true })
  execFileSync('tar', ['-xzf', packed.path, '-C', place, '--strip-components=1'])
  const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const path of listRuntimePackages()) {
    const link = join(folder, path)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(projectRoot, path), link)
  }
  const command = join(place, bin['agentic-ad-registry'])
  chmodSync(command, 0o755)
  return command
}

/** Lists the packages that an install without development packages has, by the lock. */
function listRuntimePackages(): string[] {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  return Object.entries<{ dev?: boolean }>(lock.packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !dev)
    .map(([path]) => path)
    .filter(path => existsSync(join(projectRoot, path)))
}
