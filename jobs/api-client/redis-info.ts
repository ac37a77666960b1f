import { defineScript, REDIS_PREFIX, type Redis, type Script } from '../redis.ts'

/** Reads the state of the server that has the keys of the registry, in a cluster too. */
const INFO_SCRIPT = `return redis.call('INFO')`

/** Facts that a server states about itself. A field that it does not name is undefined. */
export interface RedisInfo {
  version: string | undefined
  /** The rule by which it deletes keys when its memory is full. */
  policy: string | undefined
  usedBytes: number
  /** Memory that it may use: its own limit, or else that of its machine; 0 where it names neither. */
  maxBytes: number
  /** True if it writes each command to a file. */
  isPersistent: boolean | undefined
}

/** Reads what a server says about itself. */
export class RedisInfoReader {
  readonly #info: Script<string>

  constructor(redis: Redis | undefined) {
    this.#info = defineScript(redis, 'readRedisInfo', 1, INFO_SCRIPT)
  }

  /** Fails while Redis does not answer. */
  async read(): Promise<RedisInfo> {
    return parseRedisInfo(await this.#info(REDIS_PREFIX))
  }
}

/** Parses the answer to `INFO`. */
export function parseRedisInfo(text: string): RedisInfo {
  const fields = new Map(
    text.split(/\r?\n/).map(line => line.split(':', 2) as [name: string, value: string]),
  )
  const read = (name: string) => Number(fields.get(name) ?? 0)
  const aof = fields.get('aof_enabled')
  return {
    version: fields.get('redis_version'),
    policy: fields.get('maxmemory_policy'),
    usedBytes: read('used_memory'),
    maxBytes: read('maxmemory') || read('total_system_memory'),
    isPersistent: aof === undefined ? undefined : aof === '1',
  }
}
