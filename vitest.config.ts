import { defineConfig } from 'vitest/config'

const second = 1000

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
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share its modules, which costs a quarter less than loading them for each.
    isolate: false,
    restoreMocks: true,
    expect: { poll: { timeout: 20 * second } },
    reporters: [process.env.CI ? 'dot' : 'default', './test/support/reporter.ts'],
    projects: [
      kind('unit', 120, ['unit', 'arch']),
      kind('property', 300),
      kind('golden', 120),
      kind('api', 120),
      // Each file starts processes of its own: after all the others.
      kind('e2e', 480, ['e2e'], { sequence: { groupOrder: 1 } }),
    ],
  },
})
