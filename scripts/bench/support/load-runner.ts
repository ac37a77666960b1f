import type { Profiler } from 'node:inspector'
import { join } from 'node:path'
import { builtFolder, Child } from './child.ts'
import type { Load, LoadRun, Target } from './load.ts'
import { readProcessorTime } from './usage.ts'

export interface Question {
  method: 'GET' | 'POST'
  /** Path and query. */
  path: string
  /** The route, where the path has parameters. */
  route?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Answers of the same kind are timed together. */
  kind?: string
}

export interface Run extends Load {
  perSecond: number
  /** Processor time of the server for each answer, and the part of it that helping threads took, in microseconds. */
  cpuMicros: number
  helperMicros: number
  /** Share of the time that server and client were busy. */
  serverBusy: number
  clientBusy: number
}

/** A server in a child process. */
export type Server = Child<{ url: string }, { profile: 'start' | 'stop' }, Profiler.Profile>

export type LoadClient = Child<object, Target | LoadRun, Load>

/** Sends requests to a server for `seconds`. */
export type LoadRunner = (seconds: number) => Promise<Run>

export function startLoadClient(): Promise<LoadClient> {
  return Child.start<object, Target | LoadRun, Load>(
    join(builtFolder, 'scripts/bench/support/load.js'),
  )
}

/**
 * Gives a load client the requests for a server. A run throws where an answer is neither 200 nor
 * 404.
 */
export async function startLoadRunner(
  client: LoadClient,
  server: Server,
  { set, requests, kinds, connections }: Omit<Target, 'port'> & Pick<LoadRun, 'connections'>,
): Promise<LoadRunner> {
  await client.ask({ set, port: Number(new URL(server.ready.url).port), requests, kinds })
  return async seconds => {
    const before = readProcessorTime(server.pid)
    const load = await client.ask({ set, connections, seconds })
    const after = readProcessorTime(server.pid)
    const cpu = after.all - before.all
    if (load.unwanted > 0) throw new Error(`${load.unwanted} answers of ${set} were refusals`)
    return {
      ...load,
      perSecond: load.answers / load.seconds,
      cpuMicros: (1e6 * cpu) / load.answers,
      helperMicros: (1e6 * (after.helpers - before.helpers)) / load.answers,
      serverBusy: cpu / load.seconds,
      clientBusy: load.cpuSeconds / load.seconds,
    }
  }
}

export function formatRequest({ method, path, headers = {}, body }: Question): string {
  const lines = Object.entries({
    host: 'localhost',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}
