import type { Config } from '../../pipeline/core/config.ts'
import type { RedisInfo } from './redis-info.ts'

const MiB = 1024 * 1024
/** Memory that the observations of crawlers, which wait for the indexer, may take by themselves. */
const MEMORY_MIN = 64 * MiB
const VERSION_MIN = '6.2'
const FLEET_VERSION_MIN = '7.0'
/** Share of the memory that is in use when what may be refused is refused. */
const USED_SHARE_MAX = 0.75

/** Says that Redis is silent, and what follows. */
export const REDIS_SILENT = 'Redis does not answer: what is stored can be read, saves are rejected'

/** A requirement on Redis: finds what is wrong, as a sentence. What a server does not say is not wrong. */
type Requirement = (info: RedisInfo, config: Pick<Config, 'BACKUP_TO'>) => string | false

/** All requirements; `/readyz`, `registry status` and the log name what is not met. */
const requirements: readonly Requirement[] = [
  ({ policy }) =>
    policy !== undefined &&
    policy !== 'noeviction' &&
    `Redis evicts keys when its memory is full, and jobs with them: its maxmemory-policy is ${policy}, and must be noeviction`,
  ({ maxBytes }) =>
    maxBytes > 0 &&
    maxBytes < MEMORY_MIN &&
    `Redis may use ${toMiB(maxBytes)} of memory, and needs ${toMiB(MEMORY_MIN)} at least`,
  ({ usedBytes, maxBytes }) =>
    isNearlyFull({ usedBytes, maxBytes }) &&
    `Redis uses ${toMiB(usedBytes)} of the ${toMiB(maxBytes)} that it may: sign-in is refused, and writes will be`,
  ({ isPersistent }, { BACKUP_TO }) =>
    BACKUP_TO !== undefined &&
    isPersistent === false &&
    'Redis keeps nothing on disk (appendonly is no), so an answered write is lost when it ends before the next backup',
  ({ version }, { BACKUP_TO }) => {
    const least = BACKUP_TO === undefined ? VERSION_MIN : FLEET_VERSION_MIN
    return (
      version !== undefined &&
      isOlder(version, least) &&
      `Redis is version ${version}; the registry needs ${least} or newer${BACKUP_TO === undefined ? '' : ' with BACKUP_TO'}`
    )
  },
]

/** Finds the requirements that a server does not meet, as sentences. */
export function findRedisProblems(info: RedisInfo, config: Pick<Config, 'BACKUP_TO'>): string[] {
  return requirements.map(find => find(info, config)).filter(text => text !== false)
}

/** Finds among sentences those about Redis, which all begin with its name. */
export function filterRedisProblems(problems: readonly string[]): string[] {
  return problems.filter(text => text.startsWith('Redis '))
}

/** Tells whether only the memory is left that is reserved for writes. */
export function isNearlyFull({
  usedBytes,
  maxBytes,
}: Pick<RedisInfo, 'usedBytes' | 'maxBytes'>): boolean {
  return maxBytes > 0 && usedBytes > maxBytes * USED_SHARE_MAX
}

function isOlder(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}

function toMiB(bytes: number): string {
  return `${Math.round(bytes / MiB)} MiB`
}
