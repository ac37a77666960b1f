import { roundForPrint } from './spread.ts'

/** Compares what a run measured with the bounds of its bench, and remembers what missed them. */
export class Bounds {
  readonly missed: string[] = []

  /** Notes a value that must not exceed a bound; returns the bound for people. */
  atMost(name: string, value: number, most: number, unit = ''): string {
    return this.#note(name, value, value <= most, `at most ${most}${unit}`)
  }

  /** Notes a value that must reach a bound; returns the bound for people. */
  atLeast(name: string, value: number, least: number): string {
    return this.#note(name, value, value >= least, `at least ${least}`)
  }

  #note(name: string, value: number, isMet: boolean, bound: string): string {
    if (!isMet) this.missed.push(`${name} is ${roundForPrint(value)}, must be ${bound}`)
    return bound
  }
}
