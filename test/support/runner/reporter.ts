import type { Reporter, TestModule, TestSpecification } from 'vitest/node'

/** Slowest files that are named. */
const SLOWEST = 10

/**
 * Tells how long each project and the slowest files took, names the cases that were skipped and those that passed only when they
 * were repeated, and ends the output with `N passed, N failed`.
 * A file that did not load, a failed hook and an error outside of any test count as one failed case each;
 * so does a run without tests, or one that broke off: no news is not good news.
 */
export default class CountReporter implements Reporter {
  private files = 0
  private count: Count | undefined
  private readonly repeated: string[] = []
  private readonly skipped: string[] = []
  private readonly modules: { path: string; ms: number }[] = []
  private readonly spans = new Map<string, Span>()

  onInit(): void {
    process.once('exit', () => {
      const { passed, failed, skipped } = this.count ?? { passed: 0, failed: 1, skipped: 0 }
      if (failed > 0 || passed === 0) process.exitCode ||= 1
      for (const [project, { from, to }] of this.spans) {
        process.stdout.write(`${project} took ${Math.round((to - from) / 1_000)} s\n`)
      }
      for (const { path, ms } of this.modules.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST)) {
        process.stdout.write(`${path} took ${Math.round(ms / 1_000)} s\n`)
      }
      for (const name of this.repeated) process.stdout.write(`passed when repeated: ${name}\n`)
      for (const name of this.skipped) process.stdout.write(`skipped: ${name}\n`)
      const more = skipped > 0 ? `, ${skipped} skipped` : ''
      process.stdout.write(`${passed} passed, ${failed} failed${more}\n`)
    })
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.files = files.length
  }

  onTestModuleStart({ project }: TestModule): void {
    const now = performance.now()
    if (!this.spans.has(project.name)) this.spans.set(project.name, { from: now, to: now })
  }

  onTestModuleEnd({ project }: TestModule): void {
    const span = this.spans.get(project.name)
    if (span) span.to = performance.now()
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.count = { passed: 0, failed: errors.length + this.files - modules.length, skipped: 0 }
    for (const module of modules) {
      addModule(this.count, module)
      const { setupDuration, collectDuration, duration } = module.diagnostic()
      this.modules.push({
        path: module.relativeModuleId,
        ms: setupDuration + collectDuration + duration,
      })
      for (const test of module.children.allTests()) {
        const name = `${module.moduleId} > ${test.fullName}`
        if (test.diagnostic()?.flaky) this.repeated.push(name)
        if (test.result().state === 'skipped') this.skipped.push(name)
      }
    }
  }
}

/** Time at which the first file of a project began and its last one ended, in ms. */
interface Span {
  from: number
  to: number
}

interface Count {
  passed: number
  failed: number
  skipped: number
}

function addModule(count: Count, module: TestModule): void {
  count.failed += module.errors().length
  for (const suite of module.children.allSuites()) count.failed += suite.errors().length
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    // A case still pending at the end was lost with its worker.
    count[state === 'pending' ? 'failed' : state] += 1
  }
}
