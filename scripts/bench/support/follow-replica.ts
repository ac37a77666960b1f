import { runReplica } from '../../../jobs/replica/replica.ts'
import { systemClock } from '../../../pipeline/core/clock.ts'
import { readConfig } from '../../../pipeline/core/config.ts'
import { silentLog } from '../../../pipeline/core/log.ts'
import { makeFolders, resolvePaths } from '../../../pipeline/store/paths.ts'
import { serveParent } from './child.ts'

/** Runs the shipped replica role in a folder. */
const [, , folder = '', from = ''] = process.argv
makeFolders(resolvePaths(folder))
serveParent({}, async () => undefined)
runReplica(readConfig({ DATA_DIR: folder }), from, systemClock, silentLog)
