import { requireValue } from '../core/present.ts'
import { writeBase } from '../serving/base.ts'

/** Process that builds one base: `base-program <serving file> <target>`. */
const [, , servingFile, target] = process.argv
// Ends when the process that started it has ended.
process.on('disconnect', () => process.exit(1))
const mark = await writeBase(
  requireValue(servingFile, 'serving file'),
  requireValue(target, 'target'),
)
process.send?.(mark, () => process.exit())
