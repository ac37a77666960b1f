import type { Profiler } from 'node:inspector'

/** Parts of the time of an answer; the first one that a function belongs to counts. */
const parts: readonly (readonly [part: string, belongs: RegExp])[] = [
  ['idle', /^\(idle\) /],
  ['garbage', /^\(garbage collector\) /],
  ['socket', /^(?:write(?:v|Buffer|Utf8String|Latin1String)|shutdown) $/],
  ['stores', /\/lmdb\/|ordered-binary|pipeline\/serving\/lmdb|^getByBinary /],
  ['metrics', /prom-client|metrics/],
  ['checks', /\/zod\/|validation\.|inputs\/|core\/domain/],
  ['framework', /fastify|find-my-way|fast-querystring/],
  ['Node', / node:/],
  ['ours', /\/dist\//],
]

export const partNames = [
  'garbage',
  'socket',
  'Node',
  'framework',
  'checks',
  'stores',
  'metrics',
  'ours',
  'rest',
]

/** Splits the time of a profile among the parts, as shares of the time in which something was done. */
export function splitProfile({ nodes, samples = [] }: Profiler.Profile): Map<string, number> {
  const partsById = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => {
      const text = `${functionName} ${url}`
      return [id, parts.find(([, belongs]) => belongs.test(text))?.[0] ?? 'rest']
    }),
  )
  const counts = new Map<string, number>()
  for (const id of samples) {
    const part = partsById.get(id) ?? 'rest'
    counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  const busy = samples.length - (counts.get('idle') ?? 0)
  return new Map([...counts].map(([part, count]) => [part, count / busy]))
}
