import { fork } from 'node:child_process'
import { join } from 'node:path'
import { resolveBundleOrStoryboard } from '@adcp/sdk/testing'
import { findStoryboard, listStoryboards } from '../../../pipeline/storyboards/catalog.ts'
import { rows } from '../storyboards.ts'
import type { Pairing } from './both.ts'
import { findReason } from './differences.ts'
import { faults } from './faults.ts'
import type { Compared, Task } from './worker.ts'

/**
 * Compares the public client’s runner with the registry’s, over storyboards that both can run: against the
 * reference agent, and against agents with one fault each. Both must see the same step fail first, or
 * `differences.ts` must argue why not.
 */

/** Storyboards in which each fault is tried. */
const SAMPLES = Number(process.argv[2] ?? 12)
/** Expression for the names of the faults that are tried; all without it. */
const [, , , NAMED = ''] = process.argv
/** Runs at the same time: most of them wait. */
const PARALLEL = 3
/** Runs in which the same step must fail first, in percent. */
const SAME_MIN = 99

/**
 * Lists every storyboard that both runners can run: with a tenant that passes it, or else the one that comes
 * next to it. Ours lacks a governance agent and a key that the agent trusts.
 */
function listPairings(): Pairing[] {
  const passed = rows
    .filter(({ others, signedTasks }) => others === undefined && signedTasks === undefined)
    .flatMap(({ tenant, name, probe_task }) =>
      resolveBundleOrStoryboard(name)
        .flatMap(({ id, requires_scenarios = [] }) => [...requires_scenarios, id])
        .map(id => ({ tenant, id, probe_task })),
    )
  const others = listStoryboards().map(({ storyboard: { id }, tenant }) => ({ tenant, id }))
  const alone = [...others, ...passed.reverse()].filter(({ id }) => isForSingleAgent(id))
  return [...new Map<string, Pairing>(alone.map(pairing => [pairing.id, pairing])).values()]
}

/** Tells whether a storyboard needs one agent, and no more. */
function isForSingleAgent(id: string): boolean {
  const storyboard = findStoryboard(id)
  if (storyboard === undefined) return false
  return !/governance_agent_url|signed-requests-runner/.test(JSON.stringify(storyboard))
}

/** Takes some of a list, spread over all of it. */
function takeSpread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step) || at === 0)
}

const counts = { runs: 0, same: 0, argued: 0 }

function count({ pairing, fault = 'is right', ours, theirs }: Compared): void {
  counts.runs++
  if (ours.first === theirs.first) return void counts.same++
  const reason = findReason({ id: pairing.id, fault, ours: ours.first, theirs: theirs.first })
  if (reason !== undefined) counts.argued++
  const { tenant, id } = pairing
  console.log(`DIFF ${tenant} ${id}, an agent that ${fault}: ${reason ?? 'unargued'}`)
  for (const [side, { first, passed, why }] of Object.entries({ ours, theirs })) {
    console.log(`DIFF   ${side}: ${first ?? 'none'} fails, ${passed} passed; ${why.slice(0, 300)}`)
  }
}

/** Compares the runners by each task, in processes of their own. */
async function compareAll(tasks: readonly Task[], onCompared: (done: Compared) => void) {
  const queue = [...tasks]
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = fork(join(import.meta.dirname, 'worker.ts'))
      const next = () => {
        const task = queue.shift()
        if (task === undefined) worker.kill()
        else worker.send(task)
      }
      worker.on('message', (done: Compared) => {
        onCompared(done)
        next()
      })
      worker.on('exit', code => {
        if (code === null || code === 0) resolve()
        else reject(new Error(`a worker ended with ${code}`))
      })
      next()
    })
  await Promise.all(Array.from({ length: PARALLEL }, work))
}

const tried = faults.filter(({ name }) => new RegExp(NAMED).test(name))
const firing = new Map<string, Pairing[]>(tried.map(({ name }) => [name, []]))
await compareAll(
  listPairings().map(pairing => ({ pairing })),
  done => {
    for (const fault of done.shows) firing.get(fault)?.push(done.pairing)
    count(done)
  },
)
const tasks = [...firing].flatMap(([fault, pairings]) => {
  if (pairings.length === 0) console.log(`DIFF no storyboard shows an agent that ${fault}`)
  return takeSpread(pairings, SAMPLES).map(pairing => ({ fault, pairing }))
})
await compareAll(tasks, count)
const { runs, same, argued } = counts
const share = Math.floor((same / runs) * 1_000) / 10
console.log(
  `DIFF ${runs} runs of ${tried.length} faults: ${same} the same (${share} %), ${argued} argued`,
)
const isWhole = [...firing.values()].every(pairings => pairings.length > 0)
process.exit(isWhole && same + argued === runs && share >= SAME_MIN ? 0 : 1)
