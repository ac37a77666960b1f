import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const tests = join(import.meta.dirname, '../..')

/**
 * The longest files of the projects that end a run or precede a pause. Begun first, none of them keeps one
 * worker busy while the others have nothing left to do.
 */
const longest = [
  'unit/writer/damaged-files.test.ts',
  'unit/writer/frontier-additions.test.ts',
  'unit/maintenance/backup.test.ts',
  'property/api/operator-sides.property.test.ts',
  'property/writer/history.property.test.ts',
  'property/api/past-answers.property.test.ts',
  'property/maintenance/logged-grants.property.test.ts',
  'property/api/create-adagents.property.test.ts',
  'api/storyboards.test.ts',
  'api/hostile-dashboard.test.ts',
  'api/too-broad.test.ts',
  'e2e/guides.test.ts',
  'e2e/public-client.test.ts',
  'e2e/pages-in-browser.test.ts',
  'e2e/sql-in-browser.test.ts',
  'e2e/start.test.ts',
  'e2e/operators-port.test.ts',
  'e2e/dashboard-in-browser.test.ts',
  'e2e/operate-command.test.ts',
  'e2e/refused-starts.test.ts',
  'e2e/refused-commands.test.ts',
  'soak/replica-networks.test.ts',
  'soak/kill-nine.test.ts',
  'soak/own-redis.test.ts',
  'soak/interrupted-demo.test.ts',
  'soak/stopped-parts.test.ts',
  'soak/prometheus.test.ts',
  'soak/fleet.test.ts',
  'soak/bench-smoke.test.ts',
].map(file => {
  const path = join(tests, file)
  if (!existsSync(path)) throw new Error(`there is no ${file}`)
  return path
})

/** Orders files as vitest does, but in each project those above first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap(name =>
      sorted
        .filter(({ project }) => project.name === name)
        .toSorted((a, b) => findRank(a) - findRank(b)),
    )
  }
}

function findRank({ moduleId }: TestSpecification): number {
  const rank = longest.indexOf(moduleId)
  return rank < 0 ? longest.length : rank
}
