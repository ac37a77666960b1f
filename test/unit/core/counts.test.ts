import { expect, test } from 'vitest'
import { countThings, formatBytes, formatCount } from '../../../pipeline/core/counts.ts'
import { buildRefusal } from '../../../pipeline/core/errors.ts'
import { describeResults } from '../../../pipeline/resolve/compliance.ts'
import { describeRuns } from '../../../pipeline/resolve/test-report.ts'
import { parseBundle } from '../../../pipeline/transparency/entries.ts'
import { splitHashes } from '../../../pipeline/transparency/tile-hashes.ts'

function readMessage(fail: () => unknown): string {
  try {
    fail()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it did not fail')
}

const run = { title: 'Signals', skipped_count: 1, steps_total: 0 }

test.each<[string, string]>([
  [countThings(0, 'event'), '0 events'],
  [countThings(1, 'event'), '1 event'],
  [countThings(2, 'entry', 'entries'), '2 entries'],
  [countThings(1_234, 'file is', 'files are'), '1,234 files are'],
  [formatCount(12.5), '12.5'],
  [formatBytes(0), '0 bytes'],
  [formatBytes(1), '1 byte'],
  [formatBytes(999), '999 bytes'],
  [formatBytes(1_000), '1 KB'],
  [formatBytes(12_345), '12.3 KB'],
  [formatBytes(999_999), '1 MB'],
  [formatBytes(5_000_000_000), '5 GB'],
  [describeResults([{ status: 'failing' }]) ?? '', '0 of 1 storyboard passes'],
  [describeRuns([{ ...run, steps_total: 1 }])[0]?.message ?? '', 'Signals: 1 of 2 steps not run'],
  [readMessage(() => parseBundle(Buffer.from([0, 1, 7]), 2)), 'a bundle has 1 entry, not 2'],
  [
    readMessage(() => splitHashes(Buffer.alloc(1), { level: 0, index: 0, width: 1 })),
    'tile 0 of level 0 has 1 byte, not 32',
  ],
  [buildRefusal('rate_limited', 'no', { retry_after: 1 }).sentence, 'No. Try again in 1 second.'],
])('a count and its noun agree: %s', (text, expected) => {
  expect(text).toBe(expected)
})
