import { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api'
import { vi } from 'vitest'

/** A statement with the values that were bound to it, by index. */
interface Prepared {
  connection: DuckDBConnection
  sql: string
  values: Map<number, (other: DuckDBPreparedStatement) => void>
}

const bindings = ['bindValue', 'bindBigInt', 'bindDouble'] as const

/** Lists the statements of `work` that DuckDB runs as nested loops, in which each row meets each other one. */
export async function listNestedLoops(work: () => Promise<unknown>): Promise<string[]> {
  const { prepare, run: runText } = DuckDBConnection.prototype
  const { run } = DuckDBPreparedStatement.prototype
  const known = new WeakMap<DuckDBPreparedStatement, Prepared>()
  const found = new Set<string>()

  async function check({ connection, sql, values }: Prepared): Promise<void> {
    // Several statements together only create tables.
    if (!/ join /.test(sql) || sql.includes(';')) return
    const explain = await prepare.call(connection, `explain ${sql}`)
    for (const bindTo of values.values()) bindTo(explain)
    const plan = await (await run.call(explain)).getRows()
    explain.destroySync()
    if (/NL_JOIN|NESTED_LOOP/.test(plan.flat().join('\n'))) found.add(sql)
  }

  vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementation(async function (
    this: DuckDBConnection,
    sql,
  ) {
    const statement = await prepare.call(this, sql)
    known.set(statement, { connection: this, sql, values: new Map() })
    return statement
  })
  vi.spyOn(DuckDBConnection.prototype, 'run').mockImplementation(async function (
    this: DuckDBConnection,
    sql,
  ) {
    await check({ connection: this, sql, values: new Map() })
    return runText.call(this, sql)
  })
  for (const binding of bindings) {
    const bind = DuckDBPreparedStatement.prototype[binding] as (...args: unknown[]) => void
    vi.spyOn(DuckDBPreparedStatement.prototype, binding).mockImplementation(function (
      this: DuckDBPreparedStatement,
      ...args: unknown[]
    ) {
      known.get(this)?.values.set(args[0] as number, other => bind.apply(other, args))
      bind.apply(this, args)
    } as never)
  }
  vi.spyOn(DuckDBPreparedStatement.prototype, 'run').mockImplementation(async function (
    this: DuckDBPreparedStatement,
  ) {
    const prepared = known.get(this)
    if (prepared) await check(prepared)
    return run.call(this)
  })
  await work()
  return [...found]
}
