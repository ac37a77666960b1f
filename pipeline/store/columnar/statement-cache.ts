/** Tables grow, and a plan is made for what they hold: after so long it is made again. */
const PLAN_MS = 10_000
const STATEMENTS_MAX = 200

interface Plan<Statement> {
  statement: Statement
  until: number
}

/**
 * Caches prepared statements: of a small one, planning is nearly all the work. Each is used by one
 * query at a time, since its parameters are part of it.
 */
export class StatementCache<Statement extends { destroySync(): void }> {
  readonly #prepare: (sql: string) => Promise<Statement>
  readonly #idle = new Map<string, Plan<Statement>>()

  constructor(prepare: (sql: string) => Promise<Statement>) {
    this.#prepare = prepare
  }

  async use<Result>(sql: string, work: (statement: Statement) => Promise<Result>): Promise<Result> {
    const plan = this.#take(sql) ?? {
      statement: await this.#prepare(sql),
      until: performance.now() + PLAN_MS,
    }
    try {
      const result = await work(plan.statement)
      this.#putBack(sql, plan)
      return result
    } catch (error) {
      plan.statement.destroySync()
      throw error
    }
  }

  #take(sql: string): Plan<Statement> | undefined {
    const plan = this.#idle.get(sql)
    if (plan === undefined) return undefined
    this.#idle.delete(sql)
    if (performance.now() < plan.until) return plan
    plan.statement.destroySync()
    return undefined
  }

  #putBack(sql: string, plan: Plan<Statement>): void {
    this.#idle.get(sql)?.statement.destroySync()
    this.#idle.set(sql, plan)
    if (this.#idle.size <= STATEMENTS_MAX) return
    for (const [oldest, { statement }] of this.#idle) {
      this.#idle.delete(oldest)
      statement.destroySync()
      return
    }
  }
}
