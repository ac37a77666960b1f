import { type Instant, isoOf } from '../core/clock.ts'
import type { Answer, Operation, OperationOf, Submission } from '../model/submission.ts'
import { Database, listOf, type Parameters } from './duckdb.ts'
import { createTables } from './tables.ts'

interface Stamp {
  now: Instant
  seq: number
}

/** An API key as the serving store holds it, under the SHA-256 of its secret. */
export interface PrincipalRow {
  hash: string
  key_id: string
  org_id: string
  org_name: string
  label: string
  created_at: string
  revoked: boolean
}

/** Who asked for a crawl, and for which organization. */
export interface RequesterRow {
  crawl_request_id: string
  requested_by: string
  org_id: string | null
}

/**
 * The private store: organizations, keys, requests. It is written before the index, and each
 * submission is remembered here with its answer, so that a second delivery changes nothing.
 */
export class Accounts {
  readonly db: Database

  private constructor(db: Database) {
    this.db = db
  }

  static async open(file: string): Promise<Accounts> {
    const db = await Database.open(file, { memoryLimit: '128MB', threads: 1 })
    await createTables(db, 'accounts')
    return new Accounts(db)
  }

  /**
   * Carries out submissions in their order; one refused does not hold up the others. `refused` are
   * those that the index cannot carry out, with the reason.
   */
  apply(
    submissions: readonly Submission[],
    stamp: Stamp,
    refused: ReadonlyMap<string, string> = new Map(),
  ): Promise<Map<string, Answer>> {
    return this.db.transaction(async () => {
      const answers = new Map<string, Answer>()
      for (const submission of submissions) {
        const { submission_id } = submission
        const reason = refused.get(submission_id)
        answers.set(
          submission_id,
          (await this.#known(submission_id)) ?? (await this.#carryOut(submission, stamp, reason)),
        )
      }
      return answers
    })
  }

  /** Keys for which `where` holds (k is api_keys). */
  principals(where: string, parameters: Parameters): Promise<PrincipalRow[]> {
    return this.db.all(
      `select k.hash, k.key_id, k.org_id, o.name as org_name, k.label, k.created_at,
         k.revoked_at is not null as revoked
       from api_keys k join organizations o using (org_id) where ${where} order by k.hash`,
      parameters,
    )
  }

  /** Who asked for these crawls. */
  requesters(crawlRequestIds: readonly string[]): Promise<RequesterRow[]> {
    return this.db.all(
      `select crawl_request_id, requested_by, org_id from crawl_requests
       where crawl_request_id in (select unnest(${listOf('$ids')}))`,
      { ids: JSON.stringify(crawlRequestIds) },
    )
  }

  /** How editors are called: a key by its organization. */
  async editors(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.db.all<{ id: string; name: string }>(
      `select k.key_id as id, o.name from api_keys k join organizations o using (org_id)
       where k.key_id in (select unnest(${listOf('$ids')}))`,
      { ids: JSON.stringify(ids) },
    )
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  close(): void {
    this.db.close()
  }

  async #known(submission_id: string): Promise<Answer | undefined> {
    const row = await this.db.one<{ answer: Answer }>(
      'select answer from submissions where submission_id = $submission_id',
      { submission_id },
    )
    return row?.answer
  }

  async #carryOut(
    { submission_id, operation }: Submission,
    stamp: Stamp,
    reason: string | undefined,
  ): Promise<Answer> {
    const answer =
      reason === undefined ? await this.#perform(operation, stamp) : { refused: reason }
    await this.db.insert('submissions', [
      {
        submission_id,
        operation: operation.op,
        answer,
        submitted_at: isoOf(stamp.now),
        seq: stamp.seq,
      },
    ])
    return answer
  }

  #perform(operation: Operation, stamp: Stamp): Promise<Answer> {
    switch (operation.op) {
      case 'organization.create':
        return this.#createOrganization(operation, stamp)
      case 'key.create':
        return this.#createKey(operation, stamp)
      case 'key.revoke':
        return this.#revokeKey(operation, stamp)
      case 'crawl.request':
        return this.#requestCrawl(operation, stamp)
      case 'domains.add':
      case 'held.release':
      case 'held.drop':
        return Promise.resolve({ done: { domains: operation.domains.length } })
      case 'property.merge':
      case 'collection.merge': {
        const { alias_rid, canonical_rid } = operation
        return Promise.resolve({ done: { alias_rid, canonical_rid } })
      }
    }
  }

  async #createOrganization(
    { org_id, name }: OperationOf<'organization.create'>,
    { now, seq }: Stamp,
  ): Promise<Answer> {
    const taken = await this.#organization(name)
    if (taken) return { refused: `an organization named ${name} exists already` }
    await this.db.insert('organizations', [{ org_id, name, created_at: isoOf(now), seq }])
    return { done: { org_id, name } }
  }

  async #createKey(
    { key_id, org, label, hash }: OperationOf<'key.create'>,
    { now, seq }: Stamp,
  ): Promise<Answer> {
    const owner = await this.#organization(org)
    if (!owner) return { refused: `no organization named ${org}` }
    const { org_id } = owner
    await this.db.insert('api_keys', [
      { key_id, org_id, label, hash, created_at: isoOf(now), revoked_at: null, seq },
    ])
    return { done: { key_id, org_id } }
  }

  async #revokeKey({ key_id }: OperationOf<'key.revoke'>, { now, seq }: Stamp): Promise<Answer> {
    const revoked = await this.db.run(
      `update api_keys set revoked_at = coalesce(revoked_at, $now::timestamptz), seq = $seq
       where key_id = $key_id`,
      { key_id, now: isoOf(now), seq },
    )
    return revoked > 0 ? { done: { key_id } } : { refused: `no key ${key_id}` }
  }

  async #requestCrawl(
    { crawl_request_id, scope, domain, requested_by, org_id }: OperationOf<'crawl.request'>,
    { now, seq }: Stamp,
  ): Promise<Answer> {
    const request = { crawl_request_id, scope, domain, requested_by, org_id: org_id ?? null }
    await this.db.insert('crawl_requests', [{ ...request, requested_at: isoOf(now), seq }])
    return { done: { crawl_request_id, domain } }
  }

  #organization(name: string): Promise<{ org_id: string } | undefined> {
    return this.db.one('select org_id from organizations where name = $name or org_id = $name', {
      name,
    })
  }
}
