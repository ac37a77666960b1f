import { readdirSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { getAt, getOrThrow } from '../../pipeline/core/present.ts'
import { createRandom } from '../world/random.ts'
import { createSparseWorld } from '../world/sparse.ts'
import { roles } from './support/night-role.ts'
import { readOptions } from './support/options.ts'
import { RegistryRig } from './support/registry-rig.ts'
import { note, printResult, printTable } from './support/report.ts'
import { computeSpread, roundForPrint, roundSpread } from './support/spread.ts'
import { readOwnMemoryMB } from './support/usage.ts'

const NIGHTS = 60
const EARLY = 10
/** A role is killed at a random moment of this span after a night begins. */
const KILL_WITHIN_MS = 1_500

/**
 * Runs two months of a whole registry: each night one role is killed while it works, and started
 * again. Compares files, memory and Redis after the last night with those after the tenth; `verify`
 * must find nothing. The size is the number of domains. Jobs of a killed crawler are given up
 * sooner than by default, so that a night takes seconds; all other settings are the defaults.
 */
const options = readOptions(20_000)
const rig = await RegistryRig.start(options.folder, options.size, {
  LIMITS: JSON.stringify({ crawlLostMs: 3_000 }),
})
const random = createRandom('kills')

interface Sizes {
  files_mb: number
  indexer_mb: number
  crawler_mb: number
  api_mb: number
  redis_mb: number
}

await rig.add(createSparseWorld({ domains: options.size, seed: 1, night: 1 }).domains)
await rig.startRole('crawler')
await rig.untilQuiet()
const sizes = new Map<number, Sizes>()
for (let night = 2; night <= NIGHTS; night++) {
  await rig.nextNight()
  const role = getAt(roles, night % roles.length)
  await setTimeout(random.below(KILL_WITHIN_MS))
  await rig.killRole(role)
  await rig.startRole(role)
  await rig.untilQuiet()
  await rig.publish()
  if (night === EARLY || night === NIGHTS) sizes.set(night, await measureSizes())
  note(`night ${night} of ${NIGHTS}: killed the ${role}`)
}
const wrong = await rig.verify()
await rig.close()

const [early, late] = [getOrThrow(sizes, EARLY), getOrThrow(sizes, NIGHTS)]
const names = Object.keys(early) as (keyof Sizes)[]
const ratios = names.map(name => late[name] / Math.max(1, early[name]))
printTable(
  [`${options.size} domains`, `night ${EARLY}`, `night ${NIGHTS}`, 'ratio (at most 1.2)'],
  names.map((name, i) => [
    name,
    roundForPrint(early[name]),
    roundForPrint(late[name]),
    roundForPrint(getAt(ratios, i)),
  ]),
)
console.log(wrong.length === 0 ? 'verify: clean' : wrong.join('\n'))
printResult({
  bench: 'nights',
  size: options.size,
  ratio: roundSpread(computeSpread(ratios)),
  worst: roundForPrint(Math.max(...ratios)),
  early,
  late,
  verify: wrong.length,
})
options.tidy()

async function measureSizes(): Promise<Sizes> {
  const memory = (role: (typeof roles)[number]) => readOwnMemoryMB(rig.findPid(role))
  return {
    files_mb: measureMB(options.folder),
    indexer_mb: memory('indexer'),
    crawler_mb: memory('crawler'),
    api_mb: memory('api'),
    redis_mb: await rig.redisMB(),
  }
}

/** Measures the disk space of a folder in MB; a file with two names counts once. */
function measureMB(folder: string): number {
  const files = new Map<number, number>()
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const { ino, blocks } = statSync(`${folder}/${name}`, { throwIfNoEntry: false }) ?? {}
    if (ino !== undefined) files.set(ino, (blocks ?? 0) * 512)
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0) / 1e6
}
