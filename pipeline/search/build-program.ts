import { requireValue } from '../core/present.ts'
import { buildSearch, withSnapshot } from './build.ts'

/** Process that builds one search file: `build-program <snapshot> <target>`. */
const [, , snapshot, target] = process.argv
// Ends when the process that started it has ended.
process.on('disconnect', () => process.exit(1))
await withSnapshot(requireValue(snapshot, 'snapshot'), db =>
  buildSearch(db, requireValue(target, 'target')),
)
process.exit()
