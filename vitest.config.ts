import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/runner/longest-first.ts'

const second = 1000
/** In CI a case of real processes and sockets that fails is repeated once, and the run names it. */
const repeated = { retry: process.env.CI ? 1 : 0 }

/** A kind of test: where its files stand, and how long one case may take on a machine that is slow. */
function kind(name: string, seconds: number, folders = [name], options = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include: folders.map(folder => `test/${folder}/**/*.test.ts`),
      testTimeout: seconds * second,
      hookTimeout: seconds * second,
      ...options,
    },
  }
}

export default defineConfig({
  // As the build compiles it: no notes of source places, which are no attributes.
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false } },
  test: {
    pool: 'forks',
    // One more than two cores have: each waits for disks, for Redis or for other processes a third of the time or more.
    maxWorkers: 3,
    // Files of one worker share its modules, which costs a quarter less than loading them for each.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    expect: { poll: { timeout: 20 * second } },
    reporters: [process.env.CI ? 'dot' : 'default', './test/support/runner/reporter.ts'],
    projects: [
      kind('unit', 120, ['unit', 'arch'], repeated),
      kind('property', 300),
      kind('golden', 120),
      kind('api', 120, ['api'], { ...repeated, sequence: { groupOrder: 1 } }),
      kind('e2e', 480, ['e2e'], { ...repeated, sequence: { groupOrder: 2 } }),
      // Kills, cuts and whole nights, which take real time: CI runs them with the others, `npm test` does not.
      kind('soak', 480, ['soak'], { ...repeated, sequence: { groupOrder: 3 } }),
    ],
  },
})
