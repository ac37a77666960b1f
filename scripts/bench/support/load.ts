import { connect, type Socket } from 'node:net'
import { getAt, getOrThrow } from '../../../pipeline/core/present.ts'
import { serveParent } from './child.ts'

/**
 * A load generator that runs as a child process. It must need less CPU than the server it measures, or it would
 * measure itself; autocannon needs more than a bare Fastify route. So it writes requests that were formatted in
 * advance to plain sockets, and finds the end of an answer by its content-length.
 */

/** A set of requests to one server, sent in turn. */
export interface Target {
  set: string
  port: number
  requests: string[]
  /** Kind of each request, by which times are reported; without it there is one kind. */
  kinds?: string[] | undefined
}

export interface LoadRun {
  set: string
  connections: number
  seconds: number
}

/** Percentiles of the answer times. */
export interface Times {
  answers: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

export interface Load extends Times {
  /** Answers with other statuses than 200 and 404. */
  unwanted: number
  notFound: number
  bytes: number
  seconds: number
  byKind: Record<string, Times>
  /** User and system time of this process. Close to `seconds`, the result is the limit of the client, not of the server. */
  cpuSeconds: number
}

const targets = new Map<string, Target & { next: number }>()
const HEAD_END = Buffer.from('\r\n\r\n')

serveParent<Target | LoadRun, Load | object>({}, async question => {
  if ('connections' in question) return run(question)
  targets.set(question.set, { ...question, next: 0 })
  return {}
})

async function run({ set, connections, seconds }: LoadRun): Promise<Load> {
  const target = getOrThrow(targets, set)
  const tally = {
    answers: 0,
    unwanted: 0,
    notFound: 0,
    bytes: 0,
    times: new Map<string, number[]>(),
  }
  const started = performance.now()
  const cpu = process.cpuUsage()
  const end = started + seconds * 1_000
  await Promise.all(Array.from({ length: connections }, () => sendUntil(target, tally, end)))
  const { user, system } = process.cpuUsage(cpu)
  const { times, ...counts } = tally
  return {
    ...counts,
    ...computeTimes([...times.values()].flat()),
    seconds: (performance.now() - started) / 1_000,
    byKind: Object.fromEntries(
      [...times].sort().map(([kind, taken]) => [kind, computeTimes(taken)]),
    ),
    cpuSeconds: (user + system) / 1e6,
  }
}

function computeTimes(taken: readonly number[]): Times {
  const sorted = Float64Array.from(taken).sort()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { answers: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

interface Tally extends Pick<Load, 'answers' | 'unwanted' | 'notFound' | 'bytes'> {
  /** In milliseconds, by kind. */
  times: Map<string, number[]>
}

/** Sends one request at a time over one connection until the time is over. */
function sendUntil(target: Target & { next: number }, tally: Tally, end: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(target.port, '127.0.0.1')
    let sentAt = 0
    let kind = ''
    let parts: Buffer[] = []
    let missing = -1
    const ask = () => {
      sentAt = performance.now()
      if (sentAt >= end) {
        socket.destroy()
        return
      }
      const number = target.next++ % target.requests.length
      kind = target.kinds?.[number] ?? ''
      socket.write(getAt(target.requests, number), 'latin1')
    }
    socket.setNoDelay(true)
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('data', chunk => {
      if (missing > 0) missing -= chunk.length
      else {
        parts.push(chunk)
        const head = parts.length === 1 ? chunk : Buffer.concat(parts)
        const headEnd = head.indexOf(HEAD_END)
        if (headEnd < 0) return
        const text = head.toString('latin1', 0, headEnd)
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
        if (Number.isNaN(length)) {
          socket.destroy(new Error(`no length in:\n${text}`))
          return
        }
        missing = headEnd + 4 + length - head.length
        parts = []
        tally.bytes += length
        const status = text.slice(9, 12)
        if (status === '404') tally.notFound++
        else if (status !== '200') tally.unwanted++
      }
      if (missing > 0) return
      missing = -1
      tally.answers++
      const times = tally.times.get(kind) ?? []
      times.push(performance.now() - sentAt)
      tally.times.set(kind, times)
      ask()
    })
  })
}
