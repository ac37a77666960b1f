import { existsSync, readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const MB = 1_000_000

/** Reads the user and system time of a process, in seconds. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Processor time of a process in seconds: of all threads, and of those that collect garbage and compile. */
interface ProcessorTime {
  all: number
  helpers: number
}

/** Reads the processor time of a process to the nanosecond, which slices of half a second need. */
export function readProcessorTime(pid: number): ProcessorTime {
  const time = { all: 0, helpers: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const seconds = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e9
    time.all += seconds
    if (readFileSync(`${folder}/comm`, 'utf8').startsWith('V8Worker')) time.helpers += seconds
  }
  return time
}

/** Reads the memory that is the process's own; mapped files belong to the page cache. */
export function readOwnMemoryMB(pid: number): number {
  const kB = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kB ?? 0) * 1024) / MB
}

export function readWrittenMB(pid: number | 'self'): number {
  const bytes = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]
  return Number(bytes ?? 0) / MB
}

/** Samples the memory of another process, which cannot do so itself while it is busy. */
export function watchMemory(pid: number, everyMs = 20): { peakMB(): number; stop(): void } {
  let peak = 0
  const timer = setInterval(() => {
    if (existsSync(`/proc/${pid}/status`)) peak = Math.max(peak, readOwnMemoryMB(pid))
  }, everyMs)
  return { peakMB: () => peak, stop: () => clearInterval(timer) }
}
