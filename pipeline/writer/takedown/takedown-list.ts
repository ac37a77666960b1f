import { loadTakenDownRows, markCleared } from '../../accounts/taken-down.ts'
import type { Instant } from '../../core/clock.ts'
import type { Domain } from '../../core/domain.ts'
import { parseUrl } from '../../core/url.ts'
import type { Submission } from '../../model/submission.ts'
import type { KnownFile } from '../../resolve/derivation.ts'
import type { Sqlite } from '../../store/sqlite.ts'

/** Domains of which the registry must not show anything, with all domains below them. */
export class TakenDown {
  readonly #domains: ReadonlySet<string>

  constructor(domains: Iterable<string> = []) {
    this.#domains = new Set(domains)
  }

  get isEmpty(): boolean {
    return this.#domains.size === 0
  }

  /** Tells whether a domain, or an address, belongs to one of them. */
  covers(place: string): boolean {
    return this.find(place) !== undefined
  }

  /** Finds the nearest one that a domain, or an address, belongs to. */
  find(place: string): string | undefined {
    if (this.isEmpty) return undefined
    for (let name = getHost(place); ; name = name.slice(name.indexOf('.') + 1)) {
      if (this.#domains.has(name)) return name
      if (!name.includes('.')) return undefined
    }
  }

  /** Finds the first one that any of these belongs to. */
  findFirst(places: readonly string[]): string | undefined {
    const place = places.find(each => this.covers(each))
    return place === undefined ? undefined : this.find(place)
  }
}

export const nothingTakenDown = new TakenDown()

/** Caches the list of domains that were taken down. Only the writer changes that list. */
export class TakedownList {
  readonly #accounts: Sqlite
  #takenDown = nothingTakenDown
  #uncleared: readonly Domain[] = []

  constructor(accounts: Sqlite) {
    this.#accounts = accounts
    this.reload()
  }

  get takenDown(): TakenDown {
    return this.#takenDown
  }

  /** Returns domains of which published copies still exist. */
  get uncleared(): readonly Domain[] {
    return this.#uncleared
  }

  /** Lists the domains whose data a commit must delete; the accounts have already applied its submissions. */
  listErased({
    submissions,
    takedowns = [],
  }: {
    submissions: readonly Submission[]
    takedowns?: readonly Domain[]
  }): readonly Domain[] {
    if (!submissions.some(({ operation: { op } }) => op.startsWith('domain.'))) return takedowns
    this.reload()
    return [...new Set([...takedowns, ...this.#uncleared])]
  }

  /** Notes that the last copies of these were deleted. */
  clear(domains: readonly Domain[], now: Instant): void {
    markCleared(this.#accounts, domains, now)
    this.reload()
  }

  /** Reads the list again, as after a commit that was rolled back. */
  reload(): void {
    const rows = loadTakenDownRows(this.#accounts)
    this.#takenDown = new TakenDown(rows.map(({ domain }) => domain))
    this.#uncleared = rows.filter(row => row.cleared_at === null).map(({ domain }) => domain)
  }
}

function getHost(place: string): string {
  return parseUrl(place)?.hostname ?? place
}

/** State that rules see for a file that was taken down: absent for a long time. */
export const withheld: KnownFile = {
  validity: 'expired',
  state: {
    outcome: 'absent',
    status: 404,
    effect: 'absent',
    streak_since: 0,
    attempted_at: 0,
    succeeded_at: null,
    stale_at: 0,
    ended_at: 0,
    absent_at: null,
  },
}
