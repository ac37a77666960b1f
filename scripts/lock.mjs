import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const file = new URL('../package-lock.json', import.meta.url)

/**
 * Adds the packages of other platforms that npm left out because its registry did not serve them.
 * Without an entry for each, `npm ci` refuses the lock, and other platforms would miss their
 * binaries. Returns the names added.
 */
export function completeLock(lock) {
  const added = []
  for (const [parent, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
    const siblings = Object.keys(optionalDependencies)
    for (const name of siblings.filter(name => !isLocked(lock, parent, name))) {
      const version = optionalDependencies[name]
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
        throw new Error(`${parent} wants ${name} at "${version}", which is not one exact version`)
      }
      const top = `node_modules/${name}`
      const { os, cpu, libc } = parsePlatform(name, siblings)
      lock.packages[top in lock.packages ? `${parent}/${top}` : top] = {
        version,
        cpu,
        ...(dev && { dev }),
        ...(libc && { libc }),
        optional: true,
        os,
      }
      added.push(name)
    }
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  )
  return added
}

/**
 * Tells whether the lock has a package where Node would find it: beside the parent, or in a folder
 * above.
 */
function isLocked(lock, parent, name) {
  for (let folder = parent; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    const at = `${folder}${folder && !folder.endsWith('/') ? '/' : ''}node_modules/${name}`
    if (at in lock.packages) return true
    if (folder === '') return false
  }
}

/**
 * Parses the platform from a name such as `…-linux-x64-musl`. Without libc it means glibc where a
 * musl sibling exists.
 */
export function parsePlatform(name, siblings = []) {
  const match = /-(aix|android|darwin|freebsd|linux|netbsd|openbsd|sunos|win32)-([a-z\d]+)(-\w+)?$/
  const [, os, cpu, abi] = match.exec(name) ?? []
  if (!os) throw new Error(`cannot tell the platform of ${name} from its name`)
  const musl = abi === '-musl'
  const glibc = siblings.includes(`${name}-musl`)
  return { os: [os], cpu: [cpu], ...((musl || glibc) && { libc: [musl ? 'musl' : 'glibc'] }) }
}

function completeLockFile() {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const added = completeLock(lock)
  if (added.length === 0) return console.log('package-lock.json is complete')
  if (process.argv.includes('--check')) {
    console.error(`package-lock.json lacks ${added.join(', ')}: run node scripts/lock.mjs`)
    process.exit(1)
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`package-lock.json: added ${added.length} packages of other platforms`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) completeLockFile()
