import { buildSearch } from './build.ts'

/** A process that makes one search file: `build-program <snapshot> <target>`. */
const [, , snapshot, target] = process.argv
// The requesting process is gone.
process.on('disconnect', () => process.exit(1))
await buildSearch(snapshot!, target!)
process.exit()
