import { Fatal } from '../../pipeline/core/errors.ts'
import type { BackupStore } from '../../pipeline/replica/backup-store.ts'
import type { LogPart } from '../../pipeline/transparency/continue-tree.ts'
import type { KeepHead } from '../../pipeline/transparency/tree-log.ts'
import { defineScript, type Redis } from '../redis.ts'
import { checkMark, LOG_PARTS_KEY, type RecordCounter, STATE_KEY } from './writer-state.ts'

const DIGITS = 12
const PARTS = 'log-parts/'

/** Keeps a head and the name of its events; nothing where another host has taken over. */
const KEEP = `
if redis.call('hget', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
local known = ${checkMark('ARGV[4]')}
redis.call('hincrby', KEYS[1], 'mark', 1)
redis.call('hset', KEYS[1], 'head', ARGV[2])
redis.call('rpush', KEYS[2], ARGV[3])
return known`

/** Names the events of a head: how many there were before, how many with them, and who signed. */
function nameLogPart(from: number, to: number, fence: number): string {
  const [first, last] = [from, to].map(size => String(size).padStart(DIGITS, '0'))
  return `${first}-${last}-${fence}.ndjson`
}

/** Creates what keeps heads before they are shown: the events in the backups, then the head in Redis. */
export function createHeadKeeper(
  { redis, store, counter }: { redis: Redis; store: BackupStore; counter: RecordCounter },
  fence: number,
): KeepHead {
  const keep = defineScript<number>(redis, 'registryKeepHead', 2, KEEP)
  return async ({ from, to, lines, note }) => {
    const name = nameLogPart(from, to, fence)
    const text = Buffer.concat(lines.flatMap(line => [line, Buffer.from('\n')]))
    await store.write(`${PARTS}${name}`, text)
    const result = await keep(STATE_KEY, LOG_PARTS_KEY, fence, note, name, counter.next())
    if (!counter.accept(result))
      throw new Fatal('another host has taken over: this head is not signed')
  }
}

/** Reads the events of the heads since the newest backup. Throws where some are missing. */
export async function* readLogParts(redis: Redis, store: BackupStore): AsyncGenerator<LogPart> {
  for (const name of await redis.lrange(LOG_PARTS_KEY, 0, -1)) {
    const content = await store.read(`${PARTS}${name}`)
    if (content === undefined) throw new Error(`${PARTS}${name} is missing in BACKUP_TO`)
    const lines = content.toString('utf8').trimEnd().split('\n')
    yield { from: Number(name.slice(0, DIGITS)), lines: lines.map(line => Buffer.from(line)) }
  }
}

/** Deletes parts whose events are all in a backup of the log with so many. */
export async function removeOldLogParts(store: BackupStore, logSize: number): Promise<void> {
  for (const name of await store.list(PARTS)) {
    const [, to] = name.slice(PARTS.length).split('-')
    if (Number(to) <= logSize) await store.remove(name)
  }
}
