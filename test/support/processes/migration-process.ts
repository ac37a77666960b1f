/**
 * A process that migrates an index and is killed after so many statements that write, before the
 * checkpoint at the latest: `migration-process.ts <file> <statements> <folder of migrations>`.
 */
import { Database, type Parameters } from '../../../pipeline/store/duckdb.ts'
import { migrate } from '../../../pipeline/store/migrations.ts'

const [file, statements, folder] = process.argv.slice(2)
const db = await Database.open(file!)
const run = db.run.bind(db)
let done = 0
db.run = async (sql: string, parameters?: Parameters) => {
  if (sql === 'checkpoint') process.kill(process.pid, 'SIGKILL')
  const changed = await run(sql, parameters)
  if (++done === Number(statements)) process.kill(process.pid, 'SIGKILL')
  return changed
}
await migrate(db, undefined, folder)
