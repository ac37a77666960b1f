import { writeBase } from '../serving/base.ts'

/** A process that makes one base: `base-program <serving file> <target>`. */
const [, , servingFile, target] = process.argv
// The requesting process is gone.
process.on('disconnect', () => process.exit(1))
const mark = await writeBase(servingFile!, target!)
process.send!(mark, () => process.exit())
