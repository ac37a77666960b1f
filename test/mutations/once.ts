/**
 * Holds the property once, in a copy of the sources that may be mutated. Says how it went by its exit
 * status: 0 it holds, 1 the indexes differ, 2 something else went wrong.
 */
import { AssertionError } from 'node:assert/strict'
import { checkIncremental } from '../support/checks/incremental-check.ts'

const [seed, numRuns, seconds] = process.argv.slice(2).map(Number) as [number, number, number]
process.stdout.write('loaded\n')
const run = await checkIncremental(seconds, { seed, numRuns, endOnFailure: true })
const isNoticed = run.errorInstance instanceof AssertionError
process.stdout.write(`${run.numRuns}\n`)
process.exit(run.failed ? (isNoticed ? 1 : 2) : 0)
