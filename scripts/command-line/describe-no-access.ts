import { existsSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

/**
 * Describes that this user may not use a file or a folder, with whose it is and what to do; undefined for another error.
 * The registry keeps its files for its own user, so a command of somebody else meets this first.
 */
export function describeNoAccess(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path, cause } = error as NodeJS.ErrnoException
  if ((code !== 'EACCES' && code !== 'EPERM') || path === undefined) return describeNoAccess(cause)
  const user = findUserName(process.getuid?.())
  const place = findNearestPlace(path)
  const owner = findUserName(statSync(place).uid)
  if (owner === user)
    return `the user ${user} may not use ${path}: check the permissions of the folders above it`
  return (
    `the user ${user} may not use ${place}, which belongs to ${owner}: run this as ${owner} (\`sudo -u ${owner} …\`). ` +
    `If the registry runs as ${user}, give it its files back (\`chown -R ${user}\` of DATA_DIR).`
  )
}

/** Finds the file, or the nearest folder above it, that this user can look at. */
function findNearestPlace(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findNearestPlace(dirname(path))
}

/** Finds the name of a user; in a container an id may have none. */
function findUserName(uid: number | undefined): string {
  if (uid === undefined) return userInfo().username
  try {
    const entry = readFileSync('/etc/passwd', 'utf8').match(
      new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm'),
    )
    return entry?.[1] ?? `#${uid}`
  } catch {
    return `#${uid}`
  }
}
