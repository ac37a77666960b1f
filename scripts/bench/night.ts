import { readOptions } from './support/options.ts'
import { runUnfetchedNights } from './support/unfetched-nights.ts'
import { runWholeNights } from './support/whole-nights.ts'

const options = readOptions(1_000_000)
await (options.noFetch ? runUnfetchedNights(options) : runWholeNights(options))
