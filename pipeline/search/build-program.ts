import { requireValue } from '../core/present.ts'
import { buildSearch } from './build.ts'

/** Process that builds one search file: `build-program <snapshot> <target>`. */
const [, , snapshot, target] = process.argv
// Ends when the process that started it has ended.
process.on('disconnect', () => process.exit(1))
await buildSearch(requireValue(snapshot, 'snapshot'), requireValue(target, 'target'))
process.exit()
