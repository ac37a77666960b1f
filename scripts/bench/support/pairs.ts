import { getAt } from '../../../pipeline/core/present.ts'
export type Round<Name extends string, Run> = Record<Name, Run>

/**
 * Runs the functions in turn, round after round, each round starting with another one, so that
 * other load on the machine falls on all of them alike.
 */
export async function runInterleaved<Name extends string, Run>(
  rounds: number,
  runners: Readonly<Record<Name, (round: number) => Promise<Run>>>,
): Promise<Round<Name, Run>[]> {
  const names = Object.keys(runners) as Name[]
  const results: Round<Name, Run>[] = []
  for (let round = 0; round < rounds; round++) {
    const runs = {} as Round<Name, Run>
    for (let i = 0; i < names.length; i++) {
      const name = getAt(names, (round + i) % names.length)
      runs[name] = await runners[name](round)
    }
    results.push(runs)
    process.stderr.write(`\r${round + 1} of ${rounds} `)
  }
  process.stderr.write('\r\x1b[K')
  return results
}
