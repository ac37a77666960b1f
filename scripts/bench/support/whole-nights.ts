import { join } from 'node:path'
import { createSparseWorld } from '../../world/sparse.ts'
import { Bounds } from './bounds.ts'
import { Child, root } from './child.ts'
import { printCosts } from './night-costs.ts'
import { measureLeast } from './night-least.ts'
import { type RoleName, roles } from './night-role.ts'
import type { Options } from './options.ts'
import { RegistryRig } from './registry-rig.ts'
import { note, printResult, printTable } from './report.ts'
import { computeSpread, roundForPrint, roundSpread } from './spread.ts'

interface Night {
  seconds: number
  fetches: number
  crawlerCpu: number
  indexerCpu: number
  commits: ReturnType<RegistryRig['takeCommits']>
}

/**
 * Runs two nights of a whole registry over a web in which most domains have no file, 3 % publish, 1
 * % fail and 0.7 % belong to one network. In the first night everything is new; in the second one
 * file in a hundred has changed. A quiet night follows, in which nothing has changed, so the cost
 * of a commit can be split by what it grows with. Measured beside it: a bare undici loop over the
 * same domains, and the least that the commits of a quiet night could cost (each batch joined with
 * the known rows, and its times written durably).
 */
export async function runWholeNights(options: Options): Promise<void> {
  const { domains } = createSparseWorld({ domains: options.size, seed: 1, night: 1 })
  // All domains are submitted before the first is crawled: the frontier is then full, and domains
  // that documents mention cannot displace those of the bench.
  const rig = await RegistryRig.start(options.folder, options.size, {
    FRONTIER_MAX: String(options.size),
  })

  async function runNight(begin: () => Promise<void>): Promise<Night> {
    const before = { requests: await rig.requests(), cpu: measureCpu() }
    rig.takeCommits()
    const started = performance.now()
    await begin()
    await rig.untilQuiet()
    const seconds = (performance.now() - started) / 1_000
    await rig.publish()
    const cpu = measureCpu()
    return {
      seconds,
      fetches: (await rig.requests()) - before.requests,
      crawlerCpu: cpu.crawler - before.cpu.crawler,
      indexerCpu: cpu.indexer - before.cpu.indexer,
      commits: rig.takeCommits(),
    }
  }

  function measureCpu(): Record<RoleName, number> {
    return Object.fromEntries(roles.map(role => [role, rig.cpuSeconds(role)])) as Record<
      RoleName,
      number
    >
  }

  /** Runs a bare undici loop over the same domains; returns its CPU seconds and fetches. */
  async function runBareLoop(): Promise<{ cpu: number; fetches: number }> {
    const file = join(root, 'scripts/bench/bare/crawl.mjs')
    const child = await Child.start<object, number, { cpu: number; fetches: number }>(file, {
      args: [rig.worldUrl],
    })
    const run = await child.ask(options.size)
    await child.stop()
    return run
  }

  note(`the first night of ${options.size} domains …`)
  const first = await runNight(async () => {
    await rig.add(domains)
    await rig.startRole('crawler')
  })
  note('the second night …')
  const second = await runNight(() => rig.nextNight())
  note('a quiet night …')
  const quiet = await runNight(() => rig.quietNight())
  const wrong = await rig.verify()
  const peaks = roles.map(role => [role, rig.peakMB(role)] as const)
  const redisMB = await rig.redisPeakMB()
  note('the bare loop …')
  const bare = await runBareLoop()
  await rig.stopRoles()
  const parts = measureLeast(rig.paths.record, quiet.commits.count)
  await rig.close()
  options.tidy()

  const perFetch = (cpu: number, fetches: number) => (cpu * 1e6) / fetches
  const ratio = perFetch(first.crawlerCpu, first.fetches) / perFetch(bare.cpu, bare.fetches)
  const bounds = new Bounds()
  const rows: [string, (night: Night) => number][] = [
    ['seconds', night => night.seconds],
    ['domains a second', night => options.size / night.seconds],
    ['fetches', night => night.fetches],
    ['fetches a second', night => night.fetches / night.seconds],
    ['crawler, CPU µs a fetch', night => perFetch(night.crawlerCpu, night.fetches)],
    ['indexer, CPU s', night => night.indexerCpu],
    ['observations', night => night.commits.observations],
    ['of these changed', night => night.commits.changed],
    ['events', night => night.commits.events],
    ['commits', night => night.commits.count],
    ['observations a commit', night => night.commits.observations / night.commits.count],
    ['in commits, s', night => night.commits.seconds],
    ['in commits, CPU s', night => night.commits.cpuSeconds],
  ]
  printTable(
    [`${options.size} domains`, 'first night', 'second night', 'quiet night'],
    rows.map(([name, measure]) => [
      name,
      ...[first, second, quiet].map(measure).map(roundForPrint),
    ]),
  )
  printTable(
    ['memory', 'MB', ''],
    [
      ...peaks.map(([role, mb]) => [role, mb, 1_500] as const),
      ['Redis', redisMB, 300] as const,
    ].map(([name, mb, most]) => [
      name,
      Math.round(mb),
      bounds.atMost(`memory of ${name}`, mb, most, ' MB'),
    ]),
  )
  console.log(
    `bare undici loop: ${roundForPrint(perFetch(bare.cpu, bare.fetches))} µs a fetch; ours ÷ bare: ${roundForPrint(ratio)} (${bounds.atMost('a fetch', ratio, 1.6)})`,
  )
  const costs = printCosts('commits of the second night', second.commits, quiet.commits, parts)
  for (const sentence of wrong) console.log(`verify: ${sentence}`)
  bounds.atMost('what verify found', wrong.length, 0)
  printResult({
    bench: 'night',
    size: options.size,
    ratio: roundSpread(computeSpread([ratio])),
    first,
    second,
    quiet,
    least_cpu_us_a_file: roundForPrint(costs.least.cpuSeconds),
    quiet_cpu_us_a_file: roundForPrint(costs.quiet.cpuSeconds),
    beyond_cpu_us_a_file: roundForPrint(costs.quiet.cpuSeconds - costs.least.cpuSeconds),
    cpu_us_a_changed_file: roundForPrint(costs.changed.cpuSeconds),
    least_us_a_file: roundForPrint(costs.least.seconds),
    quiet_us_a_file: roundForPrint(costs.quiet.seconds),
    us_a_changed_file: roundForPrint(costs.changed.seconds),
    peak_mb: Object.fromEntries(
      [...peaks, ['redis', redisMB]].map(([name, mb]) => [name, Math.round(Number(mb))]),
    ),
    verify: wrong.length,
    missed: bounds.missed,
  })
}
