import { Session } from 'node:inspector/promises'

/** Source folders whose files count. */
const OURS = /\/(pipeline|jobs|api)\/[\w/.-]+\.ts$/

/**
 * Runs something and lists the files of ours in which it called a function, as V8 counted. What only
 * ran when a module was loaded does not count.
 */
export async function listFilesEntered(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  try {
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const entered = result.filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0),
    )
    const paths = entered.flatMap(({ url }) => OURS.exec(url)?.[0].slice(1) ?? [])
    return [...new Set(paths)].sort()
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
