import { MINUTE, SECOND } from '../pipeline/core/clock.ts'
import type { Config } from '../pipeline/core/config.ts'
import { refuse } from '../pipeline/core/errors.ts'
import { RedisScript, type ScriptStore } from './redis-script.ts'

const WINDOW_S = MINUTE / SECOND
const RETRY_AFTER_S = 5

/** Answers which budget is used up and for how many seconds yet, or takes one place in each. */
const SPEND = new RedisScript<[used: number, seconds: number]>(`
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[i + 1]) then
    return {i, math.max(redis.call('TTL', key), 1)}
  end
end
for i, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('EXPIRE', key, ARGV[1]) end
end
return {0, 0}`)

/** One question that an answer needs the web for. */
export interface Outward {
  /** Equal for questions with the same answer. */
  question: string
  /** Who asks: a key, or an address. */
  caller: string
  /** What is asked: a domain or a host. */
  target: string
}

/**
 * What all endpoints that reach out may cost the web in a minute: together, by one caller, and at one
 * target. Counted in Redis for every process. Whoever asks what is being asked already waits for
 * that answer and is not counted.
 */
export class Budget {
  readonly #store: ScriptStore | undefined
  readonly #config: Config
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(store: ScriptStore | undefined, config: Config) {
    this.#store = store
    this.#config = config
  }

  /** Runs the work, unless a budget is used up (429), or nobody can count (503). */
  spend<Result>(outward: Outward, work: () => Promise<Result>): Promise<Result> {
    const { question } = outward
    const same = this.#underWay.get(question) as Promise<Result> | undefined
    if (same !== undefined) return same
    const running = this.#take(outward)
      .then(work)
      .finally(() => this.#underWay.delete(question))
    this.#underWay.set(question, running)
    return running
  }

  async #take({ caller, target }: Outward): Promise<void> {
    const limits = this.#config.LIMITS
    const budgets = [
      ['all', limits.outwardPerMinute, 'the registry is asking all it may at the moment'],
      [`caller:${caller}`, limits.outwardPerCallerMinute, 'you have asked for too much of the web'],
      [`target:${target}`, limits.outwardPerTargetMinute, `${target} was asked too often just now`],
    ] as const
    const keys = budgets.map(([key]) => `registry:outward:${key}`)
    const [used, seconds] = await this.#run(keys, [WINDOW_S, ...budgets.map(([, max]) => max)])
    const full = budgets[used - 1]
    if (full) refuse('rate_limited', `${full[2]}; try again later`, { retry_after: seconds })
  }

  async #run(keys: string[], values: number[]): Promise<[used: number, seconds: number]> {
    try {
      return await SPEND.run(this.#store, keys, values)
    } catch {
      return refuse('unavailable', 'the web cannot be asked now; try again', {
        retry_after: RETRY_AFTER_S,
      })
    }
  }
}

/**
 * The address that counts as one caller: of IPv6 the network, which one machine has to itself; without
 * the port that some proxies put behind it.
 */
export function callerOf(ip: string): string {
  const behindPort = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[(.+)\](?::\d+)?$/.exec(ip)
  if (behindPort) return callerOf(behindPort[1] ?? behindPort[2]!)
  if (!ip.includes(':')) return ip
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = ip.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length)
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${all
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
