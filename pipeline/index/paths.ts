import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every file name below DATA_DIR. */
export function pathsOf(dataDir: string) {
  const dir = resolve(dataDir)
  const at = (...parts: string[]) => join(dir, ...parts)
  return {
    dir,
    index: at('index.duckdb'),
    accounts: at('accounts.duckdb'),
    lease: at('lease.duckdb'),
    serving: at('serving'),
    servingFile: at('serving', 'serving.mdb'),
    events: at('events'),
    eventsOf: (day: string) => at('events', `${day}.ndjson`),
    snapshots: at('snapshots'),
    snapshotOf: (number: number) => at('snapshots', `${String(number).padStart(6, '0')}.duckdb`),
    registry: at('registry.duckdb'),
    search: at('search'),
    searchCheckpoint: at('search', 'current.json'),
    parquet: at('parquet'),
    bodies: at('bodies'),
    bodyOf: (hash: string) => at('bodies', hash.slice(-2), `${hash}.gz`),
    /** Pictures of logos. */
    pictures: at('logos'),
    pictureOf: (hash: string) => at('logos', hash.slice(0, 2), hash),
    checkpoint: at('checkpoint.json'),
    restoring: at('restoring'),
    run: at('run.json'),
    redis: at('redis'),
    /** Socket paths are limited to about 100 bytes, so a deep DATA_DIR gets one elsewhere. */
    redisSocket: shortest(at('redis', 'redis.sock'), dir),
  }
}

export type Paths = ReturnType<typeof pathsOf>

function shortest(wanted: string, dir: string): string {
  if (Buffer.byteLength(wanted) <= 100) return wanted
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16)
  return join(tmpdir(), `registry-${name}.sock`)
}
