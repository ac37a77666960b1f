import { resolveBundleOrStoryboard } from '@adcp/sdk/testing'
import { findStoryboard } from '../../../pipeline/storyboards/catalog.ts'
import { rows } from '../storyboards.ts'
import { type Found, findOurs, findTheirs, type Pairing, runAgainst } from './both.ts'
import { findReason } from './differences.ts'
import { faults } from './faults.ts'
import type { Fault } from './proxy.ts'

/**
 * Compares the public client’s runner with the registry’s, over storyboards that both can run: against the
 * reference agent, and against agents with one fault each. Both must see the same step fail first, or
 * `differences.ts` must argue why not.
 */

/** Storyboards in which each fault is tried. */
const SAMPLES = Number(process.argv[2] ?? 5)

/** Lists every storyboard that both runners can run, with one tenant that passes it. */
function listPairings(): Pairing[] {
  const all = rows
    .filter(({ others, signedTasks }) => others === undefined && signedTasks === undefined)
    .flatMap(({ tenant, name, probe_task }) =>
      resolveBundleOrStoryboard(name)
        .flatMap(({ id, requires_scenarios = [] }) => [...requires_scenarios, id])
        .map(id => ({ tenant, id, probe_task })),
    )
    .filter(({ id }) => findStoryboard(id) !== undefined)
  return [...new Map(all.reverse().map(pairing => [pairing.id, pairing])).values()].reverse()
}

/** Takes some of a list, spread over all of it. */
function takeSpread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step) || at === 0)
}

const counts = { runs: 0, same: 0, argued: 0 }

function compare(pairing: Pairing, fault: Fault | undefined, ours: Found, theirs: Found): void {
  counts.runs++
  if (ours.first === theirs.first) return void counts.same++
  const name = fault?.name ?? 'is right'
  const reason = findReason({ id: pairing.id, fault: name, ours: ours.first, theirs: theirs.first })
  if (reason !== undefined) counts.argued++
  console.log(
    `DIFF ${pairing.tenant} ${pairing.id}, an agent that ${name}: ${reason ?? 'unargued'}`,
  )
  for (const [side, { first, passed, why }] of Object.entries({ ours, theirs })) {
    console.log(`DIFF   ${side}: ${first ?? 'none'} fails, ${passed} passed; ${why.slice(0, 300)}`)
  }
}

const firing = new Map<Fault, Pairing[]>(faults.map(fault => [fault, []]))
for (const pairing of listPairings()) {
  const ours = await runAgainst(pairing, findOurs, { watched: faults })
  for (const fault of ours.wouldFire) firing.get(fault)?.push(pairing)
  compare(pairing, undefined, ours, await runAgainst(pairing, findTheirs))
}
for (const [fault, pairings] of firing) {
  if (pairings.length === 0) console.log(`DIFF no storyboard shows an agent that ${fault.name}`)
  for (const pairing of takeSpread(pairings, SAMPLES)) {
    const ours = await runAgainst(pairing, findOurs, { fault })
    compare(pairing, fault, ours, await runAgainst(pairing, findTheirs, { fault }))
  }
}
const { runs, same, argued } = counts
console.log(`DIFF ${runs} runs of ${faults.length} faults: ${same} the same, ${argued} argued`)
process.exit(same + argued === runs ? 0 : 1)
