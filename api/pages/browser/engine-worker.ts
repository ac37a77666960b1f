/**
 * Runs DuckDB, and reports what the browser loads for it: only a worker sees its own requests.
 * The name of the worker is the name of the channel on which it reports.
 */
import engineUrl from '@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url'

/** A range of a file that was loaded. */
export interface LoadedRange {
  url: string
  bytes: number
}

declare function importScripts(url: string): void

const channel = new BroadcastChannel(self.name)
new PerformanceObserver(list => {
  for (const entry of list.getEntriesByType('resource') as PerformanceResourceTiming[]) {
    channel.postMessage({ url: entry.name, bytes: entry.encodedBodySize } satisfies LoadedRange)
  }
}).observe({ type: 'resource' })

importScripts(engineUrl)
