import { expect, test } from 'vitest'
import { writeMail } from '../../../../jobs/indexer/watching/mail-text.ts'
import { MAIL_CHARS_MAX } from '../../../../pipeline/model/live/live-request.ts'
import { type StoredWatch, unknownFacts } from '../../../../pipeline/model/watch.ts'

function makeChange(i: number) {
  const watch: StoredWatch = {
    watch_id: `w${i}`,
    user_id: 'ann',
    kind: 'agent',
    subject: `https://agent-${i}.example/${'/'.repeat(1_900)}`,
    pace: 'daily',
    email: 'ann@a.example',
    created_at: '2026-01-01T00:00:00.000Z',
    reported_seq: 1,
    known: null,
  }
  const at = '2026-11-20T03:00:00.000Z'
  const changes = [{ what: 'publisher_gained' as const, domain: 'acme.example', at }]
  return { watch, changes, progress: { reported_seq: 2, known: unknownFacts } }
}

test('a mail about long addresses names what fits, and counts the rest', () => {
  const place = { base: 'https://registry.example', end: 'https://registry.example/watch/end' }
  const { text } = writeMail(
    Array.from({ length: 40 }, (_, i) => makeChange(i)),
    place,
  )
  expect(text.length).toBeLessThan(MAIL_CHARS_MAX)
  const named = text.match(/^agent-\d+\.example/gm)?.length ?? 0
  expect(named).toBeGreaterThan(5)
  expect(text).toContain(`${40 - named} more things you watch changed.`)
  expect(text).toContain(place.end)
})
